import { Criu } from '../../criu/criu';
import { requireCompatible, sentencesOf } from '../../machine/compatibility';
import { devicesHere, machineFacts, type MachineFacts } from '../../machine/machine-facts';
import { requireMemory } from '../../machine/memory';
import type { Settings } from '../../settings/settings';
import type { CheckpointStore } from '../../store/checkpoint-store';
import type { Manifest } from '../../store/manifest';
import { storeFailed } from '../../store/store-failures';
import { storeOf } from '../../store/stores';
import type { CheckpointTools } from '../../supervisor/checkpointing';
import { newestOf, restoring, type NewestWish, type RestoreTools, type RestoreWish } from '../../supervisor/restoring';
import { DumpSlots } from '../../supervisor/state/dump-slots';
import { Refusals } from '../../supervisor/state/refusals';
import type { WorkloadFolder } from '../../supervisor/state/workload-folder';
import type { Restore, TakeCheckpoint } from '../../supervisor/supervisor';
import { load } from '../load';

/** What the first checkpoint and a restore need of this machine, whatever the workload is. */
export interface Found {
  readonly criu: Criu;
  readonly store: CheckpointStore;
  readonly facts: MachineFacts;
}

export async function find(settings: Settings): Promise<Found> {
  const [criu, store, facts] = await Promise.all([Criu.find(), storeOf(settings), machineFacts('')]);
  return { criu, store, facts };
}

const loadCheckpointing = () => load<typeof import('../../supervisor/checkpointing')>('../supervisor/checkpointing');

/** Loads all that takes a checkpoint, and looks for nothing yet. */
export async function prepareCheckpoints(settings: Settings): Promise<void> {
  await Promise.all([loadCheckpointing(), storeOf(settings), Criu.prepare()]);
}

/**
 * What a supervisor needs for its first checkpoint or a restore, and not before.
 * @param restoreStore where the checkpoint to restore is, if not where new ones go
 */
export async function workloadTools(
  settings: Settings,
  { criu, store, facts }: Found,
  { treatment, ofJob }: Pick<CheckpointTools, 'treatment' | 'ofJob'>,
  say: (sentence: string) => void,
  restoreStore = settings.store,
): Promise<{
  readonly takeCheckpoint: TakeCheckpoint;
  newest(wish: NewestWish): Promise<Manifest | undefined>;
  restore(wish: RestoreWish): Restore;
  /** Throws if the store of this workload is not there: a new begin would lose what it did. */
  requireStore(folder: WorkloadFolder): Promise<void>;
  /** Of a checkpoint that may be restored. */
  manifest(reference: string): Promise<Manifest>;
}> {
  const source = restoreStore === settings.store ? store : await storeOf({ ...settings, store: restoreStore });
  // A supervisor that stood by has looked long ago.
  const machine = { ...facts, ...(await devicesHere()), criu: criu.version };
  const tools: CheckpointTools & RestoreTools = {
    criu,
    store,
    slots: new DumpSlots(settings.stateDir, settings.parallelDumps),
    treatment,
    ofJob,
    machine,
    refusals: new Refusals(settings.stateDir, machine),
    compare: async (manifest, allowsAll) => {
      for (const sentence of sentencesOf(requireCompatible(manifest.machine, machine, allowsAll))) say(sentence);
      // Processes share memory that each of them counts; the images have it at most once for each.
      await requireMemory(Math.min(manifest.memoryBytes, manifest.bytes));
    },
    say,
  };
  return {
    takeCheckpoint: async (workload, ...wish) => {
      const taken = await (await loadCheckpointing()).checkpointing(tools)(workload, ...wish);
      // Without it, a begin anew is refused only while there is no store at all.
      await remember(workload.folder, settings.store, store).catch(() => undefined);
      return taken;
    },
    newest: (wish) => newestOf(tools, wish),
    restore: (wish) => restoring({ ...tools, store: source }, wish),
    requireStore: async (folder) => {
      const kept = folder.readStatus()?.checkpoints.findLast(({ state }) => state === 'ready');
      if (kept?.state !== 'ready' || !kept.result.reference.startsWith(`${restoreStore}/`)) return;
      // Also in a copy of it elsewhere: then somebody wants a new begin, with another command.
      if (await source.holds(kept.result.reference)) return;
      const place = await source.place();
      const known = folder.readStore();
      const isOther = known?.store === restoreStore && known.place !== place;
      if (place !== undefined && !isOther) return;
      const holds = place === undefined ? 'no store' : 'another store';
      throw storeFailed(
        `${restoreStore} holds ${holds}, and had the checkpoint ${kept.result.reference} of ${folder.name}`,
        undefined,
        `Mount it. If it was removed for good, remove ${folder.path} too, and the workload begins anew.`,
      );
    },
    manifest: (reference) => source.manifest(reference),
  };
}

/** Other workloads may make a new store below a mount that is not there. */
async function remember(folder: WorkloadFolder, directory: string, store: CheckpointStore): Promise<void> {
  const place = await store.place();
  const known = folder.readStore();
  if (place === undefined || (known?.store === directory && known.place === place)) return;
  folder.writeStore({ store: directory, place });
}
