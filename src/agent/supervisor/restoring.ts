import { timestamp } from '../clock';
import type { Criu } from '../criu/criu';
import { restoreLimitMs } from '../criu/limits';
import { AgentFailure, failureOf } from '../failures';
import { isOfMachine } from '../machine/compatibility';
import type { CheckpointStore } from '../store/checkpoint-store';
import { isSameCommand, type Manifest } from '../store/manifest';
import { runHook } from './hooks';
import { requireFiles } from './files/required-files';
import type { Refusals } from './state/refusals';
import type { WorkloadFolder } from './state/workload-folder';
import type { Restore } from './supervisor';
import { WorkloadProcess } from './workload-process';
import type { Treatment } from './treatment';

export interface RestoreTools {
  readonly criu: Criu;
  readonly store: CheckpointStore;
  readonly treatment: () => Treatment;
  /** Throws `AgentFailure` if the checkpoint cannot run on this machine, unless that is allowed. */
  readonly compare: (manifest: Manifest, allowsAll: boolean) => void | Promise<void>;
  readonly refusals: Refusals;
  readonly say: (sentence: string) => void;
}

export interface RestoreWish {
  /** As its store has verified it. */
  readonly manifest: Manifest;
  /** What should run: it must be what the checkpoint has. Empty: whatever it has. */
  readonly command: readonly string[];
  readonly folder: WorkloadFolder;
  /** Somebody has asked for it whatever this machine lacks. */
  readonly allowIncompatible?: boolean | undefined;
}

const NS_PER_US = 1000;

/**
 * Brings a workload back. CRIU sees the images only after the machine was compared and each file verified.
 * The log is a file of this workload's own: CRIU gets it open, in place of the one that the images name. So
 * copies, and other state directories, do not meet.
 */
export function restoring(tools: RestoreTools, wish: RestoreWish): Restore {
  const { criu, treatment, say } = tools;
  const { manifest, folder, allowIncompatible = false } = wish;
  return async (log, clock, network, lock) => {
    clock.enter('verify');
    refuseOtherCommand(manifest, wish);
    const known = tools.refusals.find(manifest);
    if (known && !(allowIncompatible && isOfMachine(known.cause))) throw new AgentFailure(known);
    // While the images are verified.
    const opening = network.openToRestore(manifest.workload.network);
    const opened = await openCompatible(tools, manifest, allowIncompatible);
    clock.replace(opened.stages);
    clock.enter('restore');
    let restored;
    try {
      await opening;
      // The workload may look for it as soon as it runs.
      folder.writeRestored({ reference: manifest.reference, restoredAt: timestamp() });
      restored = await criu.restore({
        directory: opened.directory,
        workDirectory: folder.criuDirectory,
        inherited: [{ file: log.fd, key: manifest.workload.log.path.slice(1) }],
        network: network.external,
        lock,
        timeLimitMs: restoreLimitMs(manifest.bytes),
      });
    } catch (error) {
      folder.forgetRestored();
      throw error;
    } finally {
      await opened.release();
    }
    const process = WorkloadProcess.adopt(restored.process);
    clock.enter('ready');
    const { notifySignal, resume } = treatment();
    if (notifySignal) process.signal(notifySignal);
    if (resume !== undefined)
      await runHook(resume, { pid: restored.process.pid, name: folder.name }).catch((error: unknown) =>
        say(failureOf(error).message),
      );
    const { forking_time = 0, restore_time = 0 } = restored.statistics;
    clock.detail('restore', {
      bytes: manifest.bytes,
      parts: [
        { name: 'restoring', durationNs: restore_time * NS_PER_US, bytes: 0 },
        { name: 'forking', durationNs: forking_time * NS_PER_US, bytes: 0 },
      ],
    });
    const { namespace, name, command } = manifest.workload;
    return { process, command, reference: manifest.reference, workload: { namespace, name } };
  };
}

/** Compares the machine with a checkpoint, and verifies its images. Remembers what was refused. */
async function openCompatible({ store, compare, refusals }: RestoreTools, manifest: Manifest, allowsAll: boolean) {
  try {
    await compare(manifest, allowsAll);
    const opened = await store.open(manifest);
    try {
      await requireFiles(opened.directory, manifest);
      return opened;
    } catch (error) {
      await opened.release();
      throw error;
    }
  } catch (error) {
    refusals.note(manifest, failureOf(error));
    throw error;
  }
}

export interface NewestWish extends Pick<RestoreWish, 'folder' | 'command'> {
  /** The others do not count; undefined: all do. */
  readonly counts?: ((manifest: Manifest) => boolean) | undefined;
}

/**
 * The newest checkpoint of this workload. Those that were refused are passed over; only if nothing else is
 * left, the newest of them says why.
 * @returns undefined if there is none
 */
export async function newestOf(
  { store, refusals, say }: Pick<RestoreTools, 'store' | 'refusals' | 'say'>,
  { folder, command, counts = () => true }: NewestWish,
): Promise<Manifest | undefined> {
  let refused: Manifest | undefined;
  const passOver = ({ message }: AgentFailure): void => say(`${message} It is passed over.`);
  for await (const manifest of store.newestFirst(folder, passOver)) {
    const { workload } = manifest;
    if (command.length > 0 && !isSameCommand(command, workload.command)) continue;
    if (!counts(manifest)) continue;
    if (refusals.find(manifest) === undefined) return manifest;
    refused ??= manifest;
  }
  return refused;
}

function refuseOtherCommand({ workload, reference }: Manifest, { command }: RestoreWish): void {
  if (command.length === 0 || isSameCommand(command, workload.command)) return;
  throw new AgentFailure({
    cause: 'incompatible',
    message: `${reference} is a checkpoint of "${workload.command.join(' ')}", not of "${command.join(' ')}".`,
    remedy: 'Give the same command, or none.',
  });
}
