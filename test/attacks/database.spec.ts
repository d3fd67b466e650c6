import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { CHAT, createKey, question, readyProfile, routeTo, type Key } from '../support/chat';
import { DatabaseProxy } from '../support/database-proxy';
import { eventually } from '../support/eventually';
import { InferenceWorker } from '../support/inference-worker';
import { OwnPostgres } from '../support/own-postgres';
import { createProfile } from '../support/profiles';
import { ask, tally, type Reply } from '../support/replicas';
import { Caller, type Organisation } from '../support/service';
import { start, type Start } from '../support/start';
import { expectFigure, printFigures } from './figures';

const TOKEN = `ccp_${'d'.repeat(43)}`;
const AUTHORIZE = '/v1/inference/router/authorize';

const RESTARTS = 200;
/** On a slow machine there are fewer restarts; the figures show how many. */
const RESTARTS_MS = 150_000;
const RATE = 80;
const TERMINATED_MS = 20_000;
const BLACK_HOLE_MS = 15_000;
/** Requests during the fault are answered within this time. */
const ANSWERED_MS = 1_500;
/** Callers of /readyz share a result that is at most this old. */
const SHARED_MS = 250;

/** A request whose connection was closed counts as this. */
const NO_ANSWER = 0;

interface Process {
  readonly process: Start;
  readonly url: string;
}

const elapsed = (replies: readonly Reply[]): number[] => replies.map(({ askedAt, answeredAt }) => answeredAt - askedAt);

describe('a failing database', () => {
  let worker: InferenceWorker;
  let postgres: OwnPostgres;
  let processes: Process[] = [];

  beforeAll(async () => {
    worker = await InferenceWorker.start();
  });
  afterEach(async () => {
    for (const { process } of processes) process.kill();
    await Promise.all(processes.map(({ process }) => process.exit));
    processes = [];
    await postgres.remove();
  }, 60_000);
  afterAll(async () => {
    await worker.close();
    printFigures();
  });

  async function serve(databaseUrl: string): Promise<Process> {
    const process = start({
      DATABASE_URL: databaseUrl,
      BOOTSTRAP_TOKEN: TOKEN,
      LOG_LEVEL: 'fatal',
      WORKER_ENDPOINT_ALLOW: `llama-8b.models.svc,${worker.host}`,
    });
    const made = { process, url: await process.address() };
    processes.push(made);
    return made;
  }

  const organisation = ({ url }: Process): Organisation => {
    const admin = new Caller(url, TOKEN);
    return { id: '', admin, operator: admin, viewer: admin, controller: admin };
  };
  const call = (to: Process, path: string, body?: JsonObject, bearer = TOKEN): Promise<Reply> => {
    const askedAt = performance.now();
    return ask(to, bearer, path, body).catch(() => ({
      status: NO_ANSWER,
      headers: new Headers(),
      text: '',
      askedAt,
      answeredAt: performance.now(),
    }));
  };

  /** Sends requests at a steady rate until `work` is done, whether or not the previous ones were answered. */
  async function during(
    work: () => Promise<void>,
    requests: readonly (() => Promise<Reply>)[],
    perSecond = RATE,
  ): Promise<Reply[][]> {
    const sent: Promise<Reply>[][] = requests.map(() => []);
    let over = false;
    const sending = (async () => {
      const began = performance.now();
      for (let n = 0; !over; n++) {
        const place = n % requests.length;
        const request = requests[place];
        if (request) sent[place]?.push(request());
        await sleep(Math.max(0, began + ((n + 1) * 1_000) / perSecond - performance.now()));
      }
    })();
    try {
      await work();
    } finally {
      over = true;
      await sending;
    }
    return Promise.all(sent.map((replies) => Promise.all(replies)));
  }

  const mixed = (to: Process): (() => Promise<Reply>)[] => [
    () => call(to, '/v1/cluster'),
    () => call(to, '/v1/restores/events/restore_start', { restore_uuid: newId() }),
    () => call(to, '/v1/cluster', { cluster_name: `cluster-${newId()}` }),
    () => call(to, '/v1/inference/activations'),
  ];

  it('does not end the process by restarts under load', async () => {
    postgres = await OwnPostgres.create();
    const service = await serve(postgres.url);
    let restarts = 0;
    const replies = await during(async () => {
      const until = performance.now() + RESTARTS_MS;
      while (restarts < RESTARTS && performance.now() < until && !service.process.ended) {
        await postgres.restart('fast');
        restarts++;
        await sleep(50);
      }
    }, mixed(service));
    const attack = `restarts of PostgreSQL at ${RATE}/s`;
    const counts = tally(replies.flat());
    expectFigure({ attack, measure: 'exits', value: service.process.ended ? 1 : 0, unit: '', bound: { atMost: 0 } });
    expectFigure({ attack, measure: 'restarts', value: restarts, unit: '', bound: { atLeast: 20 } });
    expectFigure({ attack, measure: 'answers of 500', value: counts[500] ?? 0, unit: '', bound: { atMost: 0 } });
    await eventually(async () => expect((await call(service, '/readyz')).status).toBe(200), 10_000);
  }, 300_000);

  it('does not end the process by terminated connections under load', async () => {
    postgres = await OwnPostgres.create();
    const service = await serve(postgres.url);
    const admin = new pg.Client({ connectionString: postgres.adminUrl });
    await admin.connect();
    let terminated = 0;
    const replies = await during(async () => {
      const until = performance.now() + TERMINATED_MS;
      while (performance.now() < until) {
        terminated += await postgres.terminate(admin, 0.5);
        await sleep(30);
      }
    }, mixed(service));
    await admin.end();
    const attack = `connections terminated for ${TERMINATED_MS / 1_000} s at ${RATE}/s`;
    expectFigure({ attack, measure: 'terminated', value: terminated, unit: '', bound: { atLeast: 100 } });
    expectFigure({ attack, measure: 'exits', value: service.process.ended ? 1 : 0, unit: '', bound: { atMost: 0 } });
    const counts = tally(replies.flat());
    expectFigure({ attack, measure: 'answers of 500', value: counts[500] ?? 0, unit: '', bound: { atMost: 0 } });
  }, 120_000);

  it('that is unreachable for one replica leaves a healthy replica serving', async () => {
    postgres = await OwnPostgres.create();
    const proxy = await DatabaseProxy.before(postgres.url);
    try {
      const healthy = await serve(postgres.url);
      const lost = await serve(proxy.url);
      const org = organisation(healthy);
      const [{ profile_id: hot }, { profile_id: other }] = [await createProfile(org), await createProfile(org)];
      const wish = (to: Process, profile: string) => () =>
        call(to, `/v1/inference/profiles/${profile}/state`, {
          desired_state: 'Active',
          desired_replicas: 1 + Math.floor(Math.random() * 4),
        });
      const requests = [
        wish(lost, hot),
        wish(healthy, hot),
        wish(lost, hot),
        wish(healthy, other),
        () => call(healthy, '/v1/cluster'),
        () => call(healthy, '/v1/restores/events/restore_start', { restore_uuid: newId() }),
      ];
      let holeAt = 0;
      const [lost1, hotReplies, lost2, ...rest] = await during(
        async () => {
          await sleep(2_000);
          holeAt = performance.now();
          await proxy.set('swallow');
          await sleep(BLACK_HOLE_MS);
        },
        requests,
        60,
      );
      const behind = (replies: readonly Reply[] = []) => replies.filter(({ answeredAt }) => answeredAt > holeAt);
      const attack = 'black hole before one of two replicas';
      const inHole = [...behind(lost1), ...behind(lost2)];
      expectFigure({
        attack,
        measure: 'slowest answer of the replica in the hole',
        // Requests in progress are counted from the fault on.
        value: Math.max(...inHole.map(({ askedAt, answeredAt }) => answeredAt - Math.max(askedAt, holeAt))),
        unit: 'ms',
        bound: { atMost: ANSWERED_MS },
      });
      const elsewhere = behind(rest.flat());
      const refused = (replies: readonly Reply[]) =>
        (100 * replies.filter(({ status }) => status !== 200 && status !== 201 && status !== 202).length) /
        replies.length;
      expectFigure({
        attack,
        measure: 'refused by the healthy replica, elsewhere',
        value: refused(elsewhere),
        unit: '%',
        bound: { atMost: 1 },
      });
      expectFigure({
        attack,
        measure: 'refused by the healthy replica, hot row',
        value: refused(behind(hotReplies)),
        unit: '%',
        bound: { atMost: 5 },
      });
      expectFigure({
        attack,
        measure: 'slowest answer of the healthy replica, hot row',
        value: Math.max(...elapsed(behind(hotReplies))),
        unit: 'ms',
        bound: { atMost: 6_000 },
      });
    } finally {
      await proxy.close();
    }
  }, 120_000);

  it('that stands still is reported to every caller quickly', async () => {
    postgres = await OwnPostgres.create();
    const service = await serve(postgres.url);
    const org = organisation(service);
    const model = await routeTo(org, [await readyProfile(org, worker)]);
    const key: Key = await createKey(org, { budget_usd: 1_000 });
    await eventually(async () => expect((await call(service, CHAT, question(model), key.raw_key)).status).toBe(200));
    const kinds: Record<string, () => Promise<Reply>> = {
      authorize: () => call(service, AUTHORIZE, { request_id: newId(), logical_model: model }, key.raw_key),
      chat: () => call(service, CHAT, question(model), key.raw_key),
      'long poll': () => call(service, '/v1/inference/outbox?consumer_id=attack&wait_ms=20000'),
      'create a cluster': () => call(service, '/v1/cluster', { cluster_name: `cluster-${newId()}` }),
      readyz: () => call(service, '/readyz'),
    };
    // Waiting polls receive the error too, at their next read.
    let resumedAt = 0;
    let pausedAt = 0;
    const replies = await during(
      async () => {
        await sleep(1_000);
        pausedAt = performance.now();
        postgres.pause();
        await sleep(6_000);
        postgres.resume();
        resumedAt = performance.now();
        await eventually(async () => expect((await call(service, '/readyz')).status).toBe(200), 10_000);
      },
      Object.values(kinds),
      50,
    );
    const attack = 'PostgreSQL stands still (SIGSTOP)';
    for (const [place, kind] of Object.keys(kinds).entries()) {
      const from = pausedAt + (kind === 'readyz' ? SHARED_MS : 0);
      const within = (replies[place] ?? []).filter(
        ({ askedAt }) => askedAt > from && askedAt < resumedAt - ANSWERED_MS,
      );
      expect(Object.keys(tally(within))).toEqual(['503']);
      expectFigure({
        attack,
        measure: `slowest answer: ${kind}`,
        value: Math.max(...elapsed(within)),
        unit: 'ms',
        bound: { atMost: ANSWERED_MS },
      });
    }
    const first = Math.min(
      ...replies
        .flat()
        .flatMap(({ status, askedAt, answeredAt }) => (status === 200 && askedAt > resumedAt ? [answeredAt] : [])),
    );
    expectFigure({
      attack,
      measure: 'from its return to the first success',
      value: first - resumedAt,
      unit: 'ms',
      bound: { atMost: 2_000 },
    });
  }, 120_000);

  const asRoot = process.getuid?.() === 0 ? it : it.skip;
  asRoot(
    'is reported by readyz when its disk is full, and served again when there is room',
    async () => {
      const mount = mkdtempSync(join(tmpdir(), 'small-disk-'));
      execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=300m,mode=755', 'tmpfs', mount]);
      try {
        postgres = await OwnPostgres.create(mount);
        const service = await serve(postgres.url);
        expect((await call(service, '/readyz')).status).toBe(200);
        const attack = 'full disk';
        const filler = join(mount, 'filler');
        mkdirSync(filler);
        const began = performance.now();
        try {
          for (let n = 0; ; n++) writeFileSync(join(filler, String(n)), Buffer.alloc(1024 * 1024));
        } catch (error) {
          expect((error as NodeJS.ErrnoException).code).toBe('ENOSPC');
        }
        await eventually(async () => expect((await call(service, '/readyz')).text).toContain('"full"'), 20_000);
        expectFigure({
          attack,
          measure: 'until readyz reports it',
          value: performance.now() - began,
          unit: 'ms',
          bound: { atMost: 10_000 },
        });
        const replies = await during(() => sleep(3_000), mixed(service), 40);
        expectFigure({
          attack,
          measure: 'answers of 500',
          value: tally(replies.flat())[500] ?? 0,
          unit: '',
          bound: { atMost: 0 },
        });
        rmSync(filler, { recursive: true });
        const freed = performance.now();
        await eventually(async () => expect((await call(service, '/readyz')).status).toBe(200), 20_000);
        expectFigure({
          attack,
          measure: 'until readyz is green again',
          value: performance.now() - freed,
          unit: 'ms',
          bound: { atMost: 5_000 },
        });
        expectFigure({
          attack,
          measure: 'exits',
          value: service.process.ended ? 1 : 0,
          unit: '',
          bound: { atMost: 0 },
        });
        await postgres.stop('immediate');
      } finally {
        execFileSync('umount', ['-l', mount]);
        rmSync(mount, { recursive: true, force: true });
      }
    },
    120_000,
  );
});
