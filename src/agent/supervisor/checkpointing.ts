import { readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { timestamp } from '../clock';
import type { Criu, Dumped } from '../criu/criu';
import { removeLeftDirectories } from '../criu/left-directory';
import { AgentFailure, failureOf, type FailureFacts } from '../failures';
import { isBlocking } from '../inspection/finding';
import { inspect } from '../inspection/inspect';
import type { MachineFacts } from '../machine/machine-facts';
import { mountsOf } from '../machine/mounts';
import type { StageClock } from '../stage-clock';
import { RUNNING_PATIENCE_MS, STOPPED_PATIENCE_MS, type CheckpointStore, type Draft } from '../store/checkpoint-store';
import type { Manifest, ManifestFacts } from '../store/manifest';
import { runHook } from './hooks';
import { appendedBytes, neededFeatures } from './files/image-files';
import { neededMounts } from './files/required-files';
import { residentBytesOf, sendSignal, treeOf } from '../processes/processes';
import type { DumpSlots } from './state/dump-slots';
import type { TakeCheckpoint, Workload } from './supervisor';
import type { Treatment } from './treatment';

export interface CheckpointTools {
  readonly criu: Criu;
  readonly store: CheckpointStore;
  readonly slots: DumpSlots;
  readonly treatment: () => Treatment;
  /** What the manifest has of a Slurm job under its number. */
  readonly ofJob: () => Pick<Manifest['workload'], 'jobSince' | 'jobRun'>;
  readonly machine: MachineFacts;
  readonly say: (sentence: string) => void;
}

const NS_PER_US = 1000;

/** CRIU makes a directory of a fixed name where the workload is: two workloads cannot have it at once. */
const DIRECTORY_TAKEN = /Can't create a directory \(-17\)/;
const MAX_ATTEMPTS = 6;
const LONGEST_PAUSE_MS = 400;

/**
 * Takes checkpoints in the order: inspect, quiesce, dump, store, let go. Until a checkpoint is stored, its
 * workload either runs on or is stopped, so that a failure costs nothing but time.
 */
export function checkpointing(tools: CheckpointTools): TakeCheckpoint {
  const { criu, store, slots, treatment, say } = tools;
  return async (workload, { id, leaveRunning }, clock, givenUp) => {
    const resume = async (): Promise<void> => {
      const { resume: hook } = treatment();
      if (hook === undefined) return;
      // One that hangs has not moved because its workload goes on.
      if (!givenUp.aborted) clock.enter('resume');
      // The dump is good or bad whatever this hook does.
      await runHook(hook, called(workload)).catch((error: unknown) => say(failureOf(error).message));
    };

    // Nothing waits longer than the machine leaves its workload.
    const patience = (failingMs: number): boolean =>
      workload.graceLeftMs() > 0 && failingMs < (leaveRunning ? RUNNING_PATIENCE_MS : STOPPED_PATIENCE_MS);
    const slot = await slots.take();
    let draft: Draft | undefined;
    let isQuiet = false;
    let isStopped = false;
    const goOn = async (): Promise<void> => {
      const [wasStopped, wasQuiet] = [isStopped, isQuiet];
      [isStopped, isQuiet] = [false, false];
      if (wasStopped) for (const pid of treeOf(workload.pid)) sendSignal(pid, 'SIGCONT');
      if (wasQuiet) await resume();
    };
    const goOnAtOnce = (): void => void goOn();
    try {
      clock.enter('inspect');
      await removeLeftDirectories(treeOf(workload.pid));
      await refuseImpossible(workload.pid);
      const [facts, mounts] = await Promise.all([factsOf(workload, id, tools), mountsOf(workload.pid)]);
      const wish = { patience, owner: workload.folder.owner, bytes: facts.memoryBytes };
      draft = await store.begin(id, wish);
      const { quiesce } = treatment();
      if (quiesce !== undefined) {
        clock.enter('quiesce');
        isQuiet = true;
        await runHook(quiesce, called(workload));
      }
      clock.enter('freeze');
      clock.enter('dump');
      // CRIU may stop it and fail afterwards.
      isStopped = !leaveRunning;
      const dumped = await dumpBesideOthers(draft, {
        dump: (into) => {
          into.follow();
          return criu.dump({
            pid: workload.pid,
            directory: into.directory,
            workDirectory: workload.folder.criuDirectory,
            afterwards: leaveRunning ? 'running' : 'stopped',
            network: workload.network.external,
          });
        },
        renew: async (used) => {
          await used.discard();
          await delay(Math.random() * LONGEST_PAUSE_MS);
          return (draft = await store.begin(id, wish));
        },
      });
      const bytes = await appendedBytes(join(draft.directory, 'files.img'), workload.log);
      slot.release();
      if (leaveRunning || givenUp.aborted) await goOn();
      // It has failed for whoever wanted it, so its workload must not stand still with it.
      else givenUp.addEventListener('abort', goOnAtOnce, { once: true });
      clock.enter('hash');
      const log = { ...facts.workload.log, bytes: bytes ?? facts.workload.log.bytes };
      const needed = { log, mounts: await neededMounts(draft.directory, mounts) };
      const end = {
        ...(!leaveRunning && !givenUp.aborted && { letGo: true as const }),
        ...(workload.isPreempted(id) && { preempted: true as const }),
      };
      const { kernelFeatures: _ofMachine, ...here } = facts.machine;
      const features = await neededFeatures(draft.directory);
      const machine = { ...here, ...(features && { kernelFeatures: features }) };
      const described = { ...facts, workload: { ...facts.workload, ...needed, ...end }, machine };
      const manifest = await draft.publish(described, clock.onProgress);
      clock.replace(manifest.stages);
      if (!leaveRunning && givenUp.aborted) {
        const { letGo, ...goesOn } = manifest.workload;
        if (letGo) await draft.amend({ ...manifest, workload: goesOn });
        throw new AgentFailure(tooLateFacts(manifest.reference));
      }
      if (!leaveRunning) {
        givenUp.removeEventListener('abort', goOnAtOnce);
        clock.enter('resume');
        await workload.letGo();
      }
      const result = {
        reference: manifest.reference,
        bytes: manifest.bytes,
        stages: stagesOf(clock, dumped, manifest),
        criu: dumped.statistics,
        machine: manifest.machine,
        ...(manifest.workload.preempted && { preempted: true as const }),
      };
      const stored = draft;
      return { result, afterwards: () => stored.remember(manifest) };
    } catch (error) {
      await goOn();
      await draft?.discard();
      throw error;
    } finally {
      givenUp.removeEventListener('abort', goOnAtOnce);
      slot.release();
    }
  };
}

/** Whoever asked for it knows that it failed, and counts on the workload. */
const tooLateFacts = (reference: string): FailureFacts => ({
  cause: 'checkpoint_hung',
  message: `The checkpoint is stored as ${reference}, but it hung before: its workload was not ended, and goes on.`,
  remedy: 'Ask for another one to end the workload.',
});

interface Attempts {
  readonly dump: (into: Draft) => Promise<Dumped>;
  readonly renew: (used: Draft) => Promise<Draft>;
}

/**
 * A dump that met another one in the same directory is repeated: nothing has happened to its workload. Each
 * attempt has a draft of its own: what the one before wrote was hashed, and sent, while it was written.
 */
async function dumpBesideOthers(first: Draft, { dump, renew }: Attempts): Promise<Dumped> {
  for (let [draft, attempt] = [first, 1]; ; draft = await renew(draft), attempt++) {
    try {
      return await dump(draft);
    } catch (error) {
      const isTaken = failureOf(error).log?.some((line) => DIRECTORY_TAKEN.test(line)) ?? false;
      if (!isTaken || attempt === MAX_ATTEMPTS) throw error;
    }
  }
}

/** Throws the first finding that is in the way. */
async function refuseImpossible(pid: number): Promise<void> {
  const finding = (await inspect(pid)).find(isBlocking);
  if (finding) throw new AgentFailure({ cause: finding.cause, message: finding.message, remedy: finding.remedy });
}

const called = ({ pid, folder }: Workload) => ({ pid, name: folder.name });

async function factsOf(
  workload: Workload,
  id: string,
  { machine, treatment, ofJob }: CheckpointTools,
): Promise<ManifestFacts> {
  const { pid, uid, command, folder, log } = workload;
  const cwd = await readlink(`/proc/${pid}/cwd`);
  return {
    id,
    createdAt: timestamp(),
    workload: {
      namespace: folder.namespace,
      name: folder.name,
      uid,
      command,
      cwd,
      log: { path: log, bytes: folder.logBytes() },
      treatment: treatment(),
      ...workload.network.noted,
      ...ofJob(),
    },
    machine,
    memoryBytes: treeOf(pid).reduce((sum, process) => sum + residentBytesOf(process), 0),
  };
}

/**
 * CRIU's freezing is a stage of its own. While all is frozen, it reads memory, and while it reads, it writes.
 */
function stagesOf(clock: StageClock, { statistics }: Dumped, { bytes, machine }: Manifest) {
  const written = (statistics.pages_written ?? 0) * machine.pageSize;
  const part = (name: string, size = 0) => ({
    name,
    durationNs: (statistics[`${name}_time`] ?? 0) * NS_PER_US,
    bytes: size,
  });
  clock.split('dump', 'freeze', (statistics.freezing_time ?? 0) * NS_PER_US);
  clock.detail('dump', { bytes, parts: [part('frozen'), part('memdump'), part('memwrite', written)] });
  return clock.finish();
}
