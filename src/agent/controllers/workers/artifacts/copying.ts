import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckpointStore } from '../../../store/checkpoint-store';
import type { Manifest } from '../../../store/manifest';
import { checkpointDamaged } from '../../../store/store-failures';

/** Shares blocks with the original where the file system can do that. */
const CLONED = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;

/**
 * Copies a checkpoint into another store, under the same id. Its images are verified before and after, and
 * the copy is signed with the key of this agent. @returns its manifest there
 */
export async function copyCheckpoint(
  from: CheckpointStore,
  original: Manifest,
  to: CheckpointStore,
): Promise<Manifest> {
  const opened = await from.open(original);
  try {
    const { id, createdAt, workload, machine, memoryBytes, files } = opened.manifest;
    const draft = await to.begin(id);
    try {
      for (const { path } of files) await copyFile(join(opened.directory, path), join(draft.directory, path), CLONED);
      const copy = await draft.publish({ id, createdAt, workload, machine, memoryBytes });
      // The images may have changed on the way: the hashes of the copy are those of what was written.
      if (!hasImagesOf(copy, original)) await to.remove(copy.reference);
      return requireImagesOf(copy, original);
    } catch (error) {
      await draft.discard();
      throw error;
    }
  } finally {
    await opened.release();
  }
}

/** The copy of a checkpoint that a store has already. Its images are verified: it shall be restorable. */
export async function copiedAs(original: Manifest, store: CheckpointStore): Promise<Manifest | undefined> {
  const reference = store.referenceOf(original.id);
  if (!(await store.holds(reference))) return undefined;
  const opened = await store.open(reference);
  await opened.release();
  return requireImagesOf(opened.manifest, original);
}

function requireImagesOf(copy: Manifest, original: Manifest): Manifest {
  if (hasImagesOf(copy, original)) return copy;
  throw checkpointDamaged(copy.reference, `its images are not those of ${original.reference}`);
}

function hasImagesOf({ files }: Manifest, original: Manifest): boolean {
  const hashes = new Map(files.map(({ path, sha256 }) => [path, sha256]));
  return hashes.size === original.files.length && original.files.every((one) => hashes.get(one.path) === one.sha256);
}
