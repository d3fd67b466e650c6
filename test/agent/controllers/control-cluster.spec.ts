import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NIL, v5 } from 'uuid';
import pino from 'pino';
import { newId } from '../../../src/1-platform/common/ids';
import type { ClusterContext } from '../../../src/agent/controllers/common/cluster-context';
import { controlCluster, type ClusterParts } from '../../../src/agent/controllers/common/control-cluster';
import type { OutboxEvent } from '../../../src/agent/service/outbox-reader';
import { DirectoryStore } from '../../../src/agent/store/directory-store';
import { KEY } from '../../support/checkpoint-stores';
import { eventually } from '../../support/eventually';
import { write } from '../../support/outbox';
import { Service, type Organisation } from '../../support/service';

const NAME = 'any-kind';

describe('the controller of any kind of cluster', () => {
  let service: Service;
  let org: Organisation;
  let stateDir: string;
  let lines: string[];
  let running: { stop: AbortController; ended: Promise<void> }[];

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    stateDir = await mkdtemp(join(tmpdir(), 'ccp-control-'));
    [lines, running] = [[], []];
  });
  afterEach(async () => {
    await Promise.all(running.map(halt));
    await rm(stateDir, { recursive: true });
  });
  afterAll(() => service.close());

  const halt = async ({ stop, ended }: (typeof running)[number]) => {
    stop.abort(new Error('stopped'));
    await ended;
  };
  const quiet = { everyMs: 20, heartbeatMs: 60_000, report: () => Promise.resolve(), forget: () => {} };
  const control = (partsOf: (context: ClusterContext) => Partial<ClusterParts>) => {
    const stop = new AbortController();
    const directory = join(stateDir, 'store');
    const { token } = org.controller;
    const settings = {
      url: service.url,
      stateDir,
      store: directory,
      token,
      parallelDumps: 1,
      verify: 'changed' as const,
    };
    const ended = controlCluster(
      {
        kind: 'host',
        clusterName: NAME,
        node: 'node-1',
        settings: { ...settings, tokenFile: undefined, storeKeyFile: undefined },
        store: new DirectoryStore({ directory, key: KEY }),
        signal: stop.signal,
        log: pino({ level: 'silent' }),
        say: (line) => void lines.push(line),
        examineStoreEveryMs: 50,
      },
      (context) => ({ inventory: quiet, handlers: [], ...partsOf(context) }),
    ).catch((error: unknown) => {
      if (!stop.signal.aborted) throw error;
    });
    const one = { stop, ended };
    running.push(one);
    return one;
  };
  const append = (...types: `test.${string}`[]) =>
    write(service.app, org.id, ...types.map((type) => ({ type, aggregateId: newId() })));
  const consumers = async () => (await org.viewer.get('/v1/inference/outbox/consumers')).body as unknown[];
  /** Takes the events of one type, as each part of a controller does. */
  const handlerOf = (type: string) => {
    const taken: OutboxEvent[] = [];
    return {
      taken,
      take: (events: readonly OutboxEvent[]) =>
        Promise.resolve(void taken.push(...events.filter((event) => event.event_type === type))),
      resync: () => Promise.resolve(),
    };
  };

  it('gives each handler every event, and reads as one consumer', async () => {
    const [requests, intents] = [handlerOf('test.requested'), handlerOf('test.intended')];
    control(() => ({ handlers: [requests, intents] }));
    await append('test.requested', 'test.intended', 'test.requested');
    await eventually(() => expect([requests.taken.length, intents.taken.length]).toEqual([2, 1]));
    expect(await consumers()).toHaveLength(1);
  });

  it('acknowledges an event only when every handler has it', async () => {
    const good = handlerOf('test.requested');
    const full = { take: () => Promise.reject(new Error('the disk is full')), resync: () => Promise.resolve() };
    const first = control(() => ({ handlers: [good, full] }));
    await append('test.requested');
    await eventually(() => expect(good.taken.length).toBeGreaterThan(0));
    await halt(first);
    const [one, other] = [handlerOf('test.requested'), handlerOf('test.requested')];
    control(() => ({ handlers: [one, other] }));
    await eventually(() => expect([one.taken.length, other.taken.length]).toEqual([1, 1]));
    const cursor = join(stateDir, 'host', v5(NAME, NIL), 'cursor.json');
    await eventually(async () =>
      expect(JSON.parse(await readFile(cursor, 'utf8'))).toEqual({ event_id: one.taken[0]?.id }),
    );
  });

  it('continues what each handler has kept before it reads on, and lets their work end when it stops', async () => {
    const steps: string[] = [];
    const working = (name: string) => ({
      resume: () => Promise.resolve(steps.push(`${name} resumes`) && 3),
      take: () => Promise.resolve(void steps.push(`${name} takes`)),
      resync: () => Promise.resolve(),
      idle: () => Promise.resolve(void steps.push(`${name} is idle`)),
    });
    await append('test.requested');
    const one = control(() => ({ handlers: [working('one'), handlerOf('test.intended'), working('other')] }));
    await eventually(() => expect(steps).toContain('other takes'));
    await halt(one);
    expect(lines).toContain('Continuing 6 requests of an earlier run.');
    expect(steps).toEqual([
      ...['one resumes', 'other resumes'],
      ...['one takes', 'other takes'],
      ...['one is idle', 'other is idle'],
    ]);
  });

  it('runs further loops until it stops, and shows the facts of all parts together', async () => {
    let rounds = 0;
    control(({ facts, signal }) => ({
      loops: [
        {
          run: async () => {
            while (!signal.aborted) {
              rounds++;
              await facts.publish('workers', { ready: 2 });
              await new Promise((resolve) => setTimeout(resolve, 20));
            }
          },
        },
      ],
    }));
    await eventually(async () => {
      const [cluster] = (await org.viewer.get('/v1/cluster')).body as { metadata: unknown }[];
      expect(cluster?.metadata).toEqual({
        ccp_agent: { node: 'node-1', workers: { ready: 2 }, stored: expect.objectContaining({ checkpoints: 0 }) },
      });
    });
    expect(rounds).toBeGreaterThan(0);
  });

  it('registers a cluster that was deleted, and reports to the new one from the beginning', async () => {
    const reports: [string, boolean][] = [];
    let forgotten = 0;
    control(({ clusterId }) => ({
      inventory: {
        ...quiet,
        heartbeatMs: 50,
        report: (id, isHeartbeat) => Promise.resolve(void (id === clusterId() && reports.push([id, isHeartbeat]))),
        forget: () => void forgotten++,
      },
    }));
    await eventually(() => expect(reports.length).toBeGreaterThan(1));
    expect(forgotten).toBe(1);
    const [[before] = ['']] = reports;
    expect((await org.operator.delete(`/v1/cluster/${before}`)).status).toBe(200);
    await eventually(() => expect(forgotten).toBe(2));
    const after = reports.at(-1)?.[0];
    expect(after).not.toBe(before);
    expect(lines).toContain(`Cluster ${NAME} is ${after} now: the one before was deleted.`);
  });
});
