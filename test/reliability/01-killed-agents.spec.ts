import { join } from 'node:path';
import { newId } from '../../src/1-platform/common/ids';
import { isLive } from '../../src/agent/controllers/host/pod-resources';
import { sendSignal } from '../../src/agent/processes/processes';
import { DirectoryStore } from '../../src/agent/store/directory-store';
import { StoreKey } from '../../src/agent/store/store-key';
import type { WorkloadStatus } from '../../src/agent/supervisor/control/control-protocol';
import { AgentUnderTest } from '../agent/support/agent';
import { Machine, Requests } from '../agent/support/machine';
import { MortalHost } from '../agent/support/mortal-host';
import { enginesOf, EngineWatch, programs } from '../agent/support/running-engines';
import { Watchpoint } from '../agent/support/watchpoint';
import { ServedProfile, type Activation, type ReportedWorker } from '../agent/workers/served-profile';
import { listed } from '../support/checkpoint-stores';
import { itWith } from '../support/components';
import { eventually } from '../support/eventually';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { inForm, SEED } from '../support/form';
import { OtherClients } from '../support/other-clients';
import { seeded } from '../support/random';
import { Replicas } from '../support/replicas';
import type { Organisation } from '../support/service';
import { during, NO_ANSWER } from '../support/steady-load';

/** Of agents, while workers start and stop, and in the middle of checkpoints and restores. */
const KILLS = { workers: inForm(2, 40), operations: inForm(4, 60) };
/** About as long as what is asked takes. */
const LONGEST_MS = { workers: 900, operations: 400 };
/** With each agent of so many, one supervisor is killed too. */
const SUPERVISED = inForm(2, 3);
const PROFILES = inForm(1, 2);
const MOST_WORKERS = inForm(2, 3);
const COUNTERS = inForm(2, 4);
/** Restores at once, beside the checkpoints. */
const COPIES = 2;
const LOAD_PER_SECOND = inForm(40, 60);
/** Of other clients, beside each attack. */
const REQUESTS = inForm(100, 1_000);
/** With the pauses before a worker is started again. */
const SETTLED_WITHIN_MS = 90_000;
const RUN_MS = 20 * 60_000;
const PAGE = 1_000;

/** On the command lines of all workloads of this file. */
const MARK = `counter-${newId()}`;
const COUNTER = `
import os, time
kept = os.urandom(16 << 20)
count = 0
while True:
    count += 1
    print(count, flush=True)
    time.sleep(0.05)
`;

type Figures = readonly (readonly [measure: string, value: number, bound: Figure['bound']])[];

/** What an attack was, and what came of it. */
interface Found {
  readonly attack: string;
  readonly figures: Figures;
}

describe('agents that are killed under load', () => {
  let agent: AgentUnderTest;
  let replicas: Replicas;
  let org: Organisation;
  let watchpoint: Watchpoint;
  let url: string;
  let others: OtherClients;
  let random: () => number;

  beforeAll(async () => {
    agent = new AgentUnderTest();
    const allowed = '127.0.0.1,llama-8b.models.svc';
    replicas = await Replicas.start(2, { LOG_LEVEL: 'fatal', WORKER_ENDPOINT_ALLOW: allowed });
    org = replicas.organisation();
    watchpoint = new Watchpoint(replicas.of(0).url);
    url = await watchpoint.listen();
    others = await OtherClients.of(replicas);
  }, RUN_MS);
  beforeEach(() => {
    random = seeded(SEED);
  });
  afterEach(() => agent.killAll());
  afterAll(async () => {
    await watchpoint.close();
    await replicas.close();
    agent.remove();
    printFigures();
  });

  const upTo = (most: number): number => Math.floor(random() * most);
  const storePath = (name: string): string => join(agent.root, `store-of-${name}`);
  const serve = (name: string): Machine => new Machine(agent, replicas.of(0), org, name, storePath(name));
  /** As the agents of a machine see it. */
  const storeOf = ({ name, state }: Machine): DirectoryStore =>
    new DirectoryStore({
      directory: storePath(name),
      key: StoreKey.of({ stateDir: state, storeKeyFile: join(agent.root, 'shared.key') }),
    });
  const live = async (machine: Machine): Promise<WorkloadStatus[]> => (await machine.list()).statuses.filter(isLive);

  /** Its workload ends with it. @returns whose it was */
  async function killSupervisor(machine: Machine): Promise<WorkloadStatus | undefined> {
    const found = (await live(machine)).filter(({ supervisorPid: pid }) => pid !== null);
    const victim = found[upTo(found.length)];
    if (victim) sendSignal(victim.supervisorPid!, 'SIGKILL');
    return victim;
  }

  /** @returns those of which the store lacks something */
  async function damagedOf(machine: Machine, references: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    for (const reference of references)
      await storeOf(machine)
        .open(reference)
        .then((opened) => opened.release())
        .catch((error: unknown) => found.push(`${reference}: ${String(error)}`));
    return found;
  }

  async function underLoad(work: () => Promise<Found>): Promise<void> {
    let found: Found | undefined;
    const replies = (await during(async () => void (found = await work()), others.requests, LOAD_PER_SECOND)).flat();
    const faults = replies.filter(({ status, text }) => status !== 200 && status !== 204 && !isShed(text));
    const unanswered = faults.filter(({ status }) => status === NO_ANSWER || status >= 500);
    const { attack, figures } = found!;
    const beside: Figures = [
      ['requests of other clients beside it', replies.length, { atLeast: REQUESTS }],
      ['of them, answered with 5xx or not at all', unanswered.length, { atMost: 0 }],
    ];
    for (const [measure, value, bound] of [...figures, ...beside])
      recordFigure({ row: 1, attack, measure, value, unit: '', bound });
    expect(faults.map(({ status, text }) => `${status} ${text}`)).toEqual([]);
  }

  async function workersOutlive(mode: 'dedicated' | 'checkpointed'): Promise<Found> {
    const machine = serve(mode);
    const host = new MortalHost(machine, watchpoint, url, ['--workers'], random, LONGEST_MS.workers);
    const profiles: ServedProfile[] = [];
    while (profiles.length < PROFILES)
      profiles.push(await new ServedProfile(org).create({}, { hosting_mode: mode, max_replicas: MOST_WORKERS }));
    const ids = profiles.map(({ id }) => id);
    const watch = new EngineWatch(ids);
    const none = profiles.map(() => 0);
    let wanted = none;
    /** Workers whose supervisors were killed. */
    const victims = new Set<string>();
    let inTheMiddle = 0;

    const reports = () => Promise.all(profiles.map((one) => one.activation()));
    const readyIn = ({ workers = [] }: Activation): number => workers.filter(({ ready }) => ready).length;
    const expectReported = (activations: readonly Activation[]): void =>
      expect(activations.map((one) => `${one.phase} ${readyIn(one)} of ${one.workers?.length}`)).toEqual(
        wanted.map((count) => `${count === 0 ? 'Suspended' : 'Ready'} ${count} of ${count}`),
      );
    const isReported = async (): Promise<boolean> => {
      try {
        expectReported(await reports());
        return true;
      } catch {
        return false;
      }
    };
    /** What is wanted, what is reported, what supervisors say and what really runs are the same. */
    const settled = async (): Promise<ReportedWorker[][]> => {
      let workers: ReportedWorker[][] = [];
      await eventually(async () => {
        const activations = await reports();
        expectReported(activations);
        workers = activations.map((one) => [...(one.workers ?? [])]);
        const uids = workers.flat().map(({ workload_uid: uid }) => uid);
        expect((await live(machine)).map(({ uid }) => uid).sort()).toEqual(uids.sort());
        expect(enginesOf(ids)).toEqual(wanted);
      }, SETTLED_WITHIN_MS);
      for (const [place, all] of workers.entries())
        for (const worker of all) await profiles[place]!.ask(worker, `Are you ${worker.workload_uid}?`);
      return workers;
    };
    const want = async (next: readonly number[]): Promise<void> => {
      watch.allow(wanted.map((before, place) => Math.max(before, next[place]!)));
      wanted = [...next];
      for (const [place, one] of profiles.entries())
        await (wanted[place] === 0 ? one.want('Suspended') : one.want('Active', wanted[place]));
    };

    while (host.kills < KILLS.workers) {
      // Never as many as before, so that each has something to do.
      await want(wanted.map((before) => (before + 1 + upTo(MOST_WORKERS)) % (MOST_WORKERS + 1)));
      for (let strikes = 1 + upTo(2); strikes > 0; strikes--) {
        await host.strike();
        if (!(await isReported())) inTheMiddle++;
        if (host.kills % SUPERVISED === 0) {
          const victim = await killSupervisor(machine);
          if (victim) victims.add(victim.uid);
        }
        host.succeed();
      }
      await settled();
    }
    await want(none);
    await settled();
    const kept = await Promise.all(profiles.map((one) => one.artifacts('ready')));
    const damaged = await damagedOf(
      machine,
      kept.flat().map(({ uri }) => uri),
    );
    let cold: ReportedWorker[] = [];
    if (mode === 'checkpointed') {
      // A successor has forgotten which restores have failed here.
      await host.strike();
      host.succeed();
      await want(profiles.map(() => 1));
      const woken = (await settled()).flat();
      cold = woken.filter(({ start_kind: how }, place) => kept[place]!.length > 0 && how !== 'restore');
      await want(none);
      await settled();
    }
    watch.end();
    const { repeated, open, failed, restores } = await historyOf(ids);
    const unexplained = failed.filter((uid) => !victims.has(uid));
    // Each failed restore lets another checkpoint take the place of the one that it was from.
    const needed = kept.filter((all) => all.length > 0).length + restores;
    const superfluous = Math.max(0, kept.flat().length - needed);
    expect(watch.excesses).toEqual([]);
    expect(repeated).toEqual([]);
    expect(open).toEqual([]);
    expect(unexplained).toEqual([]);
    const ofArtifacts: Figures = [
      ['artifacts offered for a restore', kept.flat().length, undefined],
      ['of them, more than needed', superfluous, { atMost: 0 }],
      ['of them, damaged, or not restored at the next start', damaged.length + cold.length, { atMost: 0 }],
    ];
    return {
      attack: `${host.kills} kills of an agent and ${victims.size} of supervisors while ${mode} workers start and stop, seed ${SEED}`,
      figures: [
        ['kills in the middle of a start or a stop', inTheMiddle, { atLeast: inForm(0, KILLS.workers / 2) }],
        ['looks at all engines', watch.looks, { atLeast: KILLS.workers }],
        ['of them, with more engines than wanted', watch.excesses.length, { atMost: 0 }],
        ...(mode === 'checkpointed' ? ofArtifacts : []),
        ['events of workers that were counted twice', repeated.length, { atMost: 0 }],
        ['starts and checkpoints without an end', open.length, { atMost: 0 }],
        ['failures of workers that nobody killed', unexplained.length, { atMost: 0 }],
      ],
    };
  }

  /** What the service knows of the workers of these profiles, all of which have ended. */
  async function historyOf(
    profileIds: readonly string[],
  ): Promise<{ repeated: string[]; open: string[]; failed: string[]; restores: number }> {
    // The API shows events without their workers.
    const { rows } = await replicas.db.query<{ kind: string; uid: string; checkpoint: string; count: number }>(
      `select kind, workload_uid as uid, coalesce(payload ->> 'checkpoint_id', '') as checkpoint, count(*)::int
       from lifecycle_events where profile_id = any($1) group by 1, 2, 3`,
      [profileIds],
    );
    const seen = new Map(rows.map(({ kind, uid, checkpoint, count }) => [`${kind} ${uid} ${checkpoint}`, count]));
    const lacks = (begin: string, ...ends: string[]): string[] =>
      [...seen.keys()].filter(
        (name) => name.startsWith(begin) && !ends.some((end) => seen.has(name.replace(begin, end))),
      );
    const of = (kind: string): string[] => rows.filter((row) => row.kind === kind).map(({ uid }) => uid);
    return {
      repeated: [...seen].filter(([, count]) => count > 1).map(([name]) => name),
      open: [
        ...lacks('worker.scheduled', 'worker.stopped'),
        ...lacks('checkpoint.started', 'checkpoint.completed', 'checkpoint.failed'),
      ],
      failed: of('worker.failed'),
      restores: of('restore.failed').length,
    };
  }

  it(
    'leave one process for each wanted worker, and none that nobody wants',
    () => underLoad(() => workersOutlive('dedicated')),
    RUN_MS,
  );

  itWith(
    ['CRIU'],
    'keep no more checkpoints of sleeping workers than they need, and each of them is restored',
    () => underLoad(() => workersOutlive('checkpointed')),
    RUN_MS,
  );

  itWith(
    ['CRIU'],
    'end each checkpoint and each restore once, and offer no checkpoint that is not whole',
    () => underLoad(operationsOutlive),
    RUN_MS,
  );

  async function operationsOutlive(): Promise<Found> {
    const machine = serve('laptop');
    const asked = new Requests(org);
    const host = new MortalHost(machine, watchpoint, url, [], random, LONGEST_MS.operations);
    let [names, inTheMiddle] = [0, 0];
    /** Of workloads whose supervisors were killed. */
    const victims = new Set<string>();
    const ended: Operation[] = [];
    const before = await attempts();
    /** Pods by name. */
    let counters = new Map<string, string>();

    const begin = async (kind: Operation['kind'], name: string, action: Promise<string>): Promise<Operation> => ({
      kind,
      name,
      action: await action,
    });
    const isOpen = async ({ action }: Operation): Promise<boolean> => {
      const { status } = await asked.action(action);
      return status !== 'ready' && status !== 'error';
    };
    const workloads = async () => (await live(machine)).filter(({ phase }) => phase === 'running');
    /** No process without a supervisor that knows it, and no supervisor without a process. */
    const accounted = (): Promise<void> =>
      eventually(async () => {
        const own = programs('python3').filter(({ args }) => args.includes(MARK));
        expect(own.map(({ pid }) => pid).sort()).toEqual((await workloads()).map(({ pid }) => pid).sort());
      });

    while (host.kills < KILLS.operations) {
      const running = new Set((await workloads()).map(({ name }) => name));
      counters = new Map([...counters].filter(([name]) => running.has(name)));
      while (counters.size < COUNTERS) {
        const name = `count-${names++}`;
        machine.run(name, ['python3', '-c', COUNTER, MARK]);
        counters.set(name, await machine.pod(name));
      }
      const ready = ended.filter(({ kind, failure }) => kind === 'checkpoint' && failure === undefined);
      const operations: Operation[] = [];
      for (const [name, uid] of counters)
        operations.push(await begin('checkpoint', name, asked.checkpoint(uid, { leave_running: random() < 0.8 })));
      for (let copies = ready.length === 0 ? 0 : COPIES; copies > 0; copies--) {
        const name = `copy-${names++}`;
        const { action } = ready[upTo(ready.length)]!;
        operations.push(await begin('restore', name, asked.restore(action, { overrides: { pod_name: name } })));
      }
      for (let strikes = 1 + upTo(2); strikes > 0; strikes--) {
        await host.strike();
        if ((await Promise.all(operations.map(isOpen))).includes(true)) inTheMiddle++;
        if (host.kills % SUPERVISED === 0) {
          const victim = await killSupervisor(machine);
          if (victim) victims.add(victim.name);
        }
        host.succeed();
      }
      await eventually(
        async () => expect((await Promise.all(operations.map(isOpen))).includes(true)).toBe(false),
        SETTLED_WITHIN_MS,
      );
      for (const operation of operations) {
        const { status, error } = await asked.action(operation.action);
        ended.push({ ...operation, failure: status === 'ready' ? undefined : (error ?? '') });
      }
      await accounted();
      const copies = operations.filter(({ kind, name }) => kind === 'restore' && !victims.has(name));
      await machine.counts(...copies.map(({ name }) => name));
      for (const { name } of copies) sendSignal((await machine.status(name))!.supervisorPid!, 'SIGTERM');
    }
    const failed = ended.filter(({ failure }) => failure !== undefined);
    const whole = ended.filter(({ kind, failure }) => kind === 'checkpoint' && failure === undefined);
    const details: Record<string, unknown>[] = [];
    // One after the other, and again: a busy service refuses some of so many questions.
    for (const { action } of whole)
      await eventually(async () => {
        const detail = (await asked.action(action)) as Record<string, unknown>;
        expect(detail).toMatchObject({ status: 'ready' });
        details.push(detail);
      });
    const path = `/v1/checkpoints?cluster_id=${await machine.clusterId()}&limit=${PAGE}`;
    const rows = (await org.viewer.get(path)).body as { id: string; status: string }[];
    const offered = rows.filter(({ status }) => status === 'ready').map(({ id }) => id);
    const damaged = await damagedOf(
      machine,
      details.map(({ restore_path: reference }) => reference as string),
    );
    expect(damaged).toEqual([]);
    expect(offered.sort()).toEqual(details.flatMap(({ checkpoint_ids: ids }) => ids as string[]).sort());
    expect((await listed(storeOf(machine))).filter((id) => !offered.includes(id))).toEqual([]);
    // Those of a workload that was killed, and no others.
    expect(failed.filter(({ name, failure }) => !victims.has(name) || failure === '')).toEqual([]);
    const count = (kind: Operation['kind']): string => {
      const of = ended.filter((one) => one.kind === kind);
      const good = of.filter(({ failure }) => failure === undefined).length;
      return `${kind} ${of.length} ${good} ${of.length - good}`;
    };
    await eventually(async () => {
      const after = await attempts();
      const counted = (['checkpoint', 'restore'] as const).map((kind) => {
        const [all, good, bad] = [0, 1, 2].map((place) => (after[kind]?.[place] ?? 0) - (before[kind]?.[place] ?? 0));
        return `${kind} ${all} ${good} ${bad}`;
      });
      expect(counted).toEqual([count('checkpoint'), count('restore')]);
    });
    return {
      attack: `${host.kills} kills of an agent and ${victims.size} of supervisors, ${ended.length} checkpoints and restores, seed ${SEED}`,
      figures: [
        ['kills in the middle of a checkpoint or a restore', inTheMiddle, { atLeast: inForm(1, KILLS.operations / 2) }],
        ['succeeded', ended.length - failed.length, { atLeast: KILLS.operations }],
        ['failed with their workload, and with a cause', failed.length, undefined],
        ['checkpoints that are offered, but not whole', damaged.length, { atMost: 0 }],
      ],
    };
  }

  /** Of each kind of operation: all, succeeded, failed. */
  async function attempts(): Promise<Partial<Record<string, number[]>>> {
    const { operations } = (await org.viewer.get('/v1/metrics/operations/summary?time=7200')).body as {
      operations: { operation: string; attempts: number; succeeded: number; failed: number }[];
    };
    return Object.fromEntries(
      operations.map(({ operation, attempts: all, succeeded, failed }) => [operation, [all, succeeded, failed]]),
    );
  }
});

/** The short form shares its machine: where too little is left for the service, it refuses a few. */
const isShed = (text: string): boolean => inForm(true, false) && text.includes(':problem:overloaded"');

interface Operation {
  readonly kind: 'checkpoint' | 'restore';
  /** Of its workload. */
  readonly name: string;
  readonly action: string;
  /** undefined: it succeeded, or is open. */
  readonly failure?: string | undefined;
}
