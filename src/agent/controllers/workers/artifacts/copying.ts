import { constants } from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckpointStore } from '../../../store/checkpoint-store';
import type { Manifest } from '../../../store/manifest';

/** Shares blocks with the original where the file system can do that. */
const CLONED = constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL;

/**
 * Copies a checkpoint into another store, under the same id. Its images are verified first, and the copy is
 * signed with the key of this agent. @returns its manifest there
 */
export async function copyCheckpoint(from: CheckpointStore, reference: string, to: CheckpointStore): Promise<Manifest> {
  const opened = await from.open(reference);
  try {
    const { id, createdAt, workload, machine, memoryBytes, files } = opened.manifest;
    const draft = await to.begin(id);
    try {
      for (const { path } of files) await copyFile(join(opened.directory, path), join(draft.directory, path), CLONED);
      return await draft.publish({ id, createdAt, workload, machine, memoryBytes });
    } catch (error) {
      await draft.discard();
      throw error;
    }
  } finally {
    await opened.release();
  }
}
