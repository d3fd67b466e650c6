import { open } from 'node:fs/promises';

/** A name in a folder survives a power failure only once the folder is on disk too. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
}
