import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../test/support/eventually';
import { onThisMachine } from '../../../test/support/machine';
import { factsOf } from '../../../test/support/checkpoint-stores';
import type { DraftWish, Patience } from '../store/checkpoint-store';
import type { Manifest, ManifestFacts } from '../store/manifest';
import { checkpointing, type CheckpointTools } from './checkpointing';
import { CheckpointQueue } from './checkpoint-queue';
import type { Workload } from './supervisor';

const ID = 'a01228a1-b05b-4ea2-860c-b02d913150b5';
/** Longer than all steps take that move, also beside other work. */
const HUNG_AFTER_MS = onThisMachine(1_500);
/** Longer than a busy machine takes for what does not hang. */
const NEVER_HUNG_MS = 600_000;
/** An image of no open files. */
const NO_FILES = Buffer.from('19435654' + '38313056', 'hex');

describe('A checkpoint that ends its workload', () => {
  let directory: string;
  let child: ChildProcess;
  /** What was published, what took its place, and what happened to the workload. */
  let [published, amended, letGo, discarded] = [[] as ManifestFacts[], [] as Manifest[], 0, 0];
  let wasStopped: boolean;
  let isPreempted: boolean;
  let graceLeftMs: number;
  let patience: Patience;
  let dump: PromiseWithResolvers<void>;
  let store: PromiseWithResolvers<void>;
  let queueOf: (hungAfterMs: number) => CheckpointQueue;
  let queue: CheckpointQueue;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'ccp-hung-'));
    [published, amended, letGo, discarded] = [[], [], 0, 0];
    [isPreempted, graceLeftMs] = [false, Infinity];
    [dump, store] = [Promise.withResolvers(), Promise.withResolvers()];
    writeFileSync(join(directory, 'files.img'), NO_FILES);
    child = spawn('sleep', ['60'], { cwd: directory, detached: true, stdio: 'ignore' });
    await once(child, 'spawn');
    const pid = child.pid!;
    const take = checkpointing({
      criu: {
        dump: async () => {
          process.kill(pid, 'SIGSTOP');
          // The signal takes effect once the process gets a processor.
          await eventually(() => expect(isStopped()).toBe(true));
          await dump.promise;
          return { durationNs: 1, statistics: {} };
        },
      },
      store: {
        begin: (_id: string, wish: DraftWish) => {
          patience = wish.patience!;
          return Promise.resolve({
            directory,
            follow: () => {},
            publish: async (facts: ManifestFacts) => {
              wasStopped = isStopped();
              published.push(facts);
              await store.promise;
              return { ...facts, version: 1, reference: `/store/${ID}`, files: [], bytes: 0, stages: [] };
            },
            amend: (manifest: Manifest) => Promise.resolve(void amended.push(manifest)),
            remember: () => Promise.resolve(),
            discard: () => Promise.resolve(void discarded++),
          });
        },
      },
      slots: { take: () => Promise.resolve({ release: () => {} }) },
      treatment: () => ({ quiesce: 'true', resume: `touch ${directory}/resumed` }),
      ofJob: () => ({}),
      machine: factsOf(ID).machine,
      say: () => {},
    } as unknown as CheckpointTools);
    const workload = {
      ...{ pid, uid: ID, command: ['sleep', '60'], log: '/log', network: { external: undefined, noted: {} } },
      folder: {
        namespace: 'default',
        name: 'sleep',
        criuDirectory: directory,
        owner: '0123456789abcdef',
        logBytes: () => 0,
      },
      letGo: () => Promise.resolve(void letGo++),
      isPreempted: () => isPreempted,
      graceLeftMs: () => graceLeftMs,
    } as unknown as Workload;
    queueOf = (hungAfterMs) =>
      new CheckpointQueue(
        [],
        (...wish) => take(workload, ...wish),
        () => {},
        { hungAfterMs },
      );
    queue = queueOf(HUNG_AFTER_MS);
  });
  afterEach(() => {
    child.kill('SIGKILL');
    rmSync(directory, { recursive: true });
  });

  const isStopped = () => readFileSync(`/proc/${child.pid}/stat`, 'utf8').split(' ')[2] === 'T';
  const ask = () => queue.request({ id: ID, leaveRunning: false });

  it('removes what a killed CRIU left where the workload is, before it inspects and dumps that', async () => {
    const left = join(directory, 'proc.crtools');
    mkdirSync(left);
    utimesSync(left, 1, 1);
    const asked = ask();
    await eventually(() => expect(queue.states).toMatchObject([{ progress: { stage: 'dump' } }]));
    expect(existsSync(left)).toBe(false);
    dump.resolve();
    store.resolve();
    await asked;
  });

  it('fails if it hangs, and lets the workload go on at once, with its hook', async () => {
    dump.resolve();
    const asked = ask();
    await eventually(() => expect(published).toHaveLength(1));
    expect(wasStopped).toBe(true);
    expect(await asked).toMatchObject({ failure: { cause: 'checkpoint_hung' } });
    await eventually(() => expect([isStopped(), existsSync(join(directory, 'resumed'))]).toEqual([false, true]));
    expect(queue.states).toMatchObject([{ state: 'hung' }]);
    expect(letGo).toBe(0);
  });

  it('leaves the workload running if it hangs and is stored late, and its manifest does not claim that it ended it', async () => {
    dump.resolve();
    await ask();
    store.resolve();
    await queue.idle();
    await eventually(() => expect(queue.states).toMatchObject([{ state: 'failed' }]));
    expect(queue.states).toMatchObject([{ failure: { message: expect.stringContaining(`stored as /store/${ID}`) } }]);
    expect(published).toMatchObject([{ workload: { letGo: true } }]);
    expect(amended).toHaveLength(1);
    expect(amended[0]!.workload).not.toHaveProperty('letGo');
    expect([letGo, isStopped()]).toEqual([0, false]);
  });

  it('lets the workload go on as soon as a dump ends that hung, and is stored all the same', async () => {
    await ask();
    expect(isStopped()).toBe(true);
    dump.resolve();
    store.resolve();
    await eventually(() => expect(isStopped()).toBe(false));
    await eventually(() => expect(published).toHaveLength(1));
    expect(published[0]!.workload).not.toHaveProperty('letGo');
    expect([letGo, amended]).toEqual([0, []]);
  });

  it('says in its manifest and in its result that a SIGTERM asked for it', async () => {
    [isPreempted, queue] = [true, queueOf(NEVER_HUNG_MS)];
    dump.resolve();
    store.resolve();
    expect(await ask()).toMatchObject({ result: { preempted: true } });
    expect(published).toMatchObject([{ workload: { letGo: true, preempted: true } }]);
  });

  it.each([
    ['five minutes while its workload is stopped', false, 5],
    ['half an hour while it goes on', true, 30],
  ])('waits for a storage that fails for %s, and not beyond the grace period', async (_, leaveRunning, minutes) => {
    queue = queueOf(NEVER_HUNG_MS);
    dump.resolve();
    store.resolve();
    await queue.request({ id: ID, leaveRunning });
    expect([minutes - 1, minutes + 1].map((minute) => patience(minute * 60_000))).toEqual([true, false]);
    graceLeftMs = 0;
    expect(patience(0)).toBe(false);
  });

  it('ends the workload if it ends before anybody gives it up', async () => {
    queue = queueOf(NEVER_HUNG_MS);
    dump.resolve();
    store.resolve();
    expect(await ask()).toMatchObject({ result: { reference: `/store/${ID}` } });
    expect([letGo, amended, discarded]).toEqual([1, [], 0]);
  });
});
