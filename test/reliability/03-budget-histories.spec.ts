import type { JsonObject } from '../../src/1-platform/common/json/json';
import { newId } from '../../src/1-platform/common/ids';
import { CHAT, createKey, question, readyProfile, type Key } from '../support/chat';
import { eventually } from '../support/eventually';
import { printFigures, recordFigure } from '../support/figures';
import { SEED } from '../support/form';
import { answers, InferenceWorker } from '../support/inference-worker';
import { expectSoundLedger, ledgerFaults, moneyOf } from '../support/ledger';
import { inParallel, seeded } from '../support/random';
import { ask, Replicas, tally, type Reply } from '../support/replicas';
import type { Organisation } from '../support/service';

const ROUTER = '/v1/inference/router';
const STEPS = 4_000;
const LANES = 12;

/** 0.001 US dollars per prompt token, 0.00001 per completion token. */
const PRICED: JsonObject = {
  spec: { pricing: { prompt_usd_per_mtok: 1_000, completion_usd_per_mtok: 10 } },
  target_concurrency: 1_000,
};

/** A granted authorization, and what happened to it. */
interface Granted {
  readonly key: Key;
  readonly request_id: string;
  readonly authorization_id: string;
  readonly tokens: number;
  /** Its time was ended, so the same request may get a new authorization. */
  expired: boolean;
  /** The statuses of the answers to `resolve`. */
  readonly resolved: number[];
  settled: boolean;
}

describe('any history of requests over two processes', () => {
  let replicas: Replicas;
  let worker: InferenceWorker;
  let org: Organisation;

  beforeAll(async () => {
    worker = await InferenceWorker.start(answers({ promptTokens: 40 }));
    replicas = await Replicas.start(2, { WORKER_ENDPOINT_ALLOW: `llama-8b.models.svc,${worker.host}` });
    org = replicas.organisation();
  });
  afterAll(async () => {
    await replicas.close();
    await worker.close();
    printFigures();
  });

  it('leaves the money of every key consistent at every moment', async () => {
    const profile_id = await readyProfile(org, worker, PRICED);
    const logical_model = await replicas.routeTo([profile_id]);
    const keys = await Promise.all(
      [{ budget_usd: 25 }, { budget_usd: 5 }, { rate_limit_rps: 4 }, { budget_usd: 60, rate_limit_rps: 6 }, {}].map(
        (bounds) => createKey(org, bounds),
      ),
    );
    const random = seeded(SEED);
    const below = (bound: number) => Math.floor(random() * bound);
    const of = <T>(items: readonly T[]): T | undefined => items[below(items.length)];
    const bearer = org.admin.token ?? '';
    const granted: Granted[] = [];
    const done: Record<string, Reply[]> = { authorize: [], again: [], resolve: [], telemetry: [], chat: [] };
    let expired = 0;

    const authorize = async (key: Key, request_id: string, tokens: number): Promise<Reply> => {
      const body = { request_id, logical_model, estimated_prompt_tokens: tokens };
      return ask(replicas.of(below(2)), key.raw_key, `${ROUTER}/authorize`, body);
    };
    const steps: Record<string, () => Promise<unknown>> = {
      authorize: async () => {
        const key = of(keys) as Key;
        const request_id = newId();
        const tokens = 1 + below(400);
        // Now and then two callers send the same request at once.
        const replies = await Promise.all(
          Array.from({ length: below(4) === 0 ? 2 : 1 }, () => authorize(key, request_id, tokens)),
        );
        const ids = new Set(
          replies.flatMap(({ status, text }) =>
            status === 200 ? [(JSON.parse(text) as { authorization_id: string }).authorization_id] : [],
          ),
        );
        done.authorize?.push(...replies);
        expect(ids.size).toBeLessThanOrEqual(1);
        for (const authorization_id of ids)
          granted.push({ key, request_id, authorization_id, tokens, expired: false, resolved: [], settled: false });
      },
      // Until it expires, the same request gets the same authorization at no cost. Another request needs
      // another id.
      again: async () => {
        const one = of(granted.filter(({ expired: over }) => !over));
        if (!one) return;
        const isAnother = below(4) === 0;
        const reply = await authorize(one.key, one.request_id, isAnother ? one.tokens + 1 : one.tokens);
        if (one.expired) return;
        done.again?.push(reply);
        if (isAnother) {
          expect([409, 429]).toContain(reply.status);
          return;
        }
        if (reply.status === 200)
          expect(JSON.parse(reply.text)).toMatchObject({ authorization_id: one.authorization_id });
        else expect(reply.status).toBe(429);
      },
      resolve: async () => {
        const one = of(granted.slice(-60));
        if (!one) return;
        const { request_id, authorization_id } = one;
        const replies = await Promise.all(
          Array.from({ length: 1 + below(2) }, () =>
            ask(replicas.of(below(2)), bearer, `${ROUTER}/resolve`, { authorization_id, request_id, logical_model }),
          ),
        );
        one.resolved.push(...replies.map(({ status }) => status));
        done.resolve?.push(...replies);
      },
      // Some cost less than reserved, some more, and some are reported twice with different amounts.
      telemetry: async () => {
        const one = of(granted.slice(-80));
        if (!one) return;
        one.settled = true;
        const replies = await Promise.all(
          Array.from({ length: 1 + below(2) }, () =>
            ask(replicas.of(below(2)), bearer, `${ROUTER}/telemetry`, {
              request_id: one.request_id,
              logical_model,
              profile_id,
              status_code: 200,
              prompt_tokens: below(600),
              completion_tokens: below(3_000),
            }),
          ),
        );
        done.telemetry?.push(...replies);
      },
      chat: async () => {
        const key = of(keys) as Key;
        const body = question(logical_model, { max_tokens: 1 + below(2_000), stream: below(2) === 0 });
        done.chat?.push(await ask(replicas.of(below(2)), key.raw_key, CHAT, body));
      },
      expire: async () => {
        const one = of(granted.slice(-100));
        if (!one) return;
        one.expired = true;
        const { rowCount } = await replicas.db.query(
          `update authorizations set held_until = clock_timestamp() - interval '1 second', expires_at = least(expires_at, clock_timestamp())
           where id = $1 and settled_at is null`,
          [one.authorization_id],
        );
        expired += rowCount ?? 0;
      },
    };
    const mix = [
      'authorize',
      'authorize',
      'authorize',
      'again',
      'resolve',
      'resolve',
      'telemetry',
      'telemetry',
      'chat',
      'expire',
    ];

    let underWay = true;
    let looks = 0;
    const unsound: unknown[] = [];
    const watching = (async () => {
      while (underWay) {
        unsound.push(...(await ledgerFaults(replicas.db)));
        looks++;
      }
    })();
    try {
      await inParallel(Array.from({ length: STEPS }), LANES, () => steps[of(mix) ?? '']?.() ?? Promise.resolve());
    } finally {
      underWay = false;
    }
    await watching;
    const attack = `${STEPS} random steps of ${LANES} callers at two processes, seed ${SEED}`;
    const figure = { row: 3, attack, unit: '' };
    recordFigure({ ...figure, measure: 'faults of the ledger meanwhile', value: unsound.length, bound: { atMost: 0 } });
    recordFigure({ ...figure, measure: 'looks at the ledger', value: looks, bound: { atLeast: 11 } });
    expect(unsound.slice(0, 10)).toEqual([]);

    const allowed: Record<string, number[]> = {
      authorize: [200, 402, 429],
      resolve: [200, 409, 410],
      telemetry: [200],
      chat: [200, 429],
    };
    // Everything that can happen did happen, and nothing else.
    for (const [what, statuses] of Object.entries(allowed))
      expect([what, ...Object.keys(tally(done[what] ?? []))]).toEqual([what, ...statuses.map(String)]);
    expect(done.again?.filter(({ status }) => status === 200).length).toBeGreaterThan(STEPS / 40);
    expect(expired).toBeGreaterThan(STEPS / 80);
    for (const { resolved } of granted)
      expect(resolved.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
    const { rows: kinds } = await replicas.db.query<{ kind: string }>(
      'select distinct kind from ledger_entries order by 1',
    );
    expect(kinds.map(({ kind }) => kind)).toEqual(['charge', 'release', 'reserve', 'settle']);
    const { rows: overruns } = await replicas.db.query('select from ledger_entries where overrun_usd > 0 limit 1');
    expect(overruns).toHaveLength(1);

    // A reported request is recorded once.
    const { rows: used } = await replicas.db.query<{ request_id: string }>(
      'select request_id from usage_records where status_code = 200 order by 1',
    );
    const chats =
      done.chat?.filter(({ status }) => status === 200).map(({ headers }) => headers.get('x-request-id')) ?? [];
    const settled = granted.filter((one) => one.settled).map(({ request_id: id }) => id);
    expect(used.map(({ request_id: id }) => id)).toEqual([...chats, ...settled].sort());

    // After the rest has expired too, nothing is reserved any more.
    await replicas.db.query('update authorizations set held_until = clock_timestamp() where settled_at is null');
    await eventually(async () => {
      for (const { key_id: id } of keys) expect(await moneyOf(replicas.db, id)).toMatchObject({ open: 0, reserved: 0 });
    }, 30_000);
    await expectSoundLedger(replicas.db);
    for (const { key_id: id } of keys) {
      const { spent, overrun, entries } = await moneyOf(replicas.db, id);
      expect(spent + overrun).toBeGreaterThan(0);
      expect(entries.reserve).toBe((entries.settle ?? 0) + (entries.release ?? 0) + (entries.charge ?? 0));
    }
  });
});
