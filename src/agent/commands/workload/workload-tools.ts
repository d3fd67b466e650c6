import { Criu } from '../../criu/criu';
import { requireCompatible } from '../../machine/compatibility';
import { machineFacts } from '../../machine/machine-facts';
import { requireMemory } from '../../machine/memory';
import type { Settings } from '../../settings/settings';
import type { Manifest } from '../../store/manifest';
import { storeOf } from '../../store/stores';
import type { CheckpointTools } from '../../supervisor/checkpointing';
import { newestOf, restoring, type NewestWish, type RestoreTools, type RestoreWish } from '../../supervisor/restoring';
import { DumpSlots } from '../../supervisor/state/dump-slots';
import { Refusals } from '../../supervisor/state/refusals';
import type { Restore, TakeCheckpoint } from '../../supervisor/supervisor';
import type { Treatment } from '../../supervisor/treatment';
import { load } from '../load';

/**
 * What a supervisor needs for its first checkpoint or a restore, and not before.
 * @param restoreStore where the checkpoint to restore is, if not where new ones go
 */
export async function workloadTools(
  settings: Settings,
  treatment: () => Treatment,
  say: (sentence: string) => void,
  restoreStore = settings.store,
): Promise<{
  readonly takeCheckpoint: TakeCheckpoint;
  newest(wish: NewestWish): Promise<Manifest | undefined>;
  restore(wish: RestoreWish): Restore;
  /** How the workload of a checkpoint was treated. */
  treatmentOf(reference: string): Promise<Treatment>;
}> {
  const [criu, store, facts] = await Promise.all([Criu.find(), storeOf(settings), machineFacts('')]);
  const source = restoreStore === settings.store ? store : await storeOf({ ...settings, store: restoreStore });
  const machine = { ...facts, criu: criu.version };
  const tools: CheckpointTools & RestoreTools = {
    criu,
    store,
    slots: new DumpSlots(settings.stateDir, settings.parallelDumps),
    treatment,
    machine,
    refusals: new Refusals(settings.stateDir, machine),
    compare: async (manifest) => {
      for (const { property, checkpoint, machine: here } of requireCompatible(manifest.machine, machine))
        say(`The checkpoint is of a machine with the ${property} "${checkpoint}"; this one has "${here}".`);
      // Processes share memory that each of them counts; the images have it at most once for each.
      await requireMemory(Math.min(manifest.memoryBytes, manifest.bytes));
    },
    say,
  };
  return {
    takeCheckpoint: async (...wish) =>
      (await load<typeof import('../../supervisor/checkpointing')>('../supervisor/checkpointing')).checkpointing(tools)(
        ...wish,
      ),
    newest: (wish) => newestOf(tools, wish),
    restore: (wish) => restoring({ ...tools, store: source }, wish),
    treatmentOf: async (reference) => (await source.manifest(reference)).workload.treatment,
  };
}
