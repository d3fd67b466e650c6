import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const KEY_BYTES = 32;

/**
 * The key that signs the addresses of a directory. The first replica creates it in the directory itself, so
 * all that share the objects share it.
 */
export async function signingKey(directory: string): Promise<Buffer> {
  const file = join(directory, 'signing.key');
  return (await kept(file)) ?? (await made(directory, file));
}

async function kept(file: string): Promise<Buffer | undefined> {
  try {
    const key = Buffer.from(await readFile(file, 'utf8'), 'hex');
    if (key.length !== KEY_BYTES) throw new Error(`${file} does not hold a key of ${KEY_BYTES} bytes`);
    return key;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function made(directory: string, file: string): Promise<Buffer> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const draft = `${file}.${randomBytes(8).toString('hex')}`;
  await writeFile(draft, randomBytes(KEY_BYTES).toString('hex'), { mode: 0o600, flag: 'wx', flush: true });
  try {
    // Complete or not at all; if another replica was first, its key is used.
    await link(draft, file).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  } finally {
    await unlink(draft);
  }
  return Buffer.from(await readFile(file, 'utf8'), 'hex');
}
