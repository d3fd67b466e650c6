import { closeSync, constants, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { syncFolder } from './sync-folder';

// A link in the place of a file would lead root elsewhere.
const REPLACES = constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW;
const FILE_MODE = 0o600;
const FOLDER = { recursive: true, mode: 0o700 } as const;

const nextOf = (path: string): string => `${path}.next`;
const textOf = (document: unknown): string => `${JSON.stringify(document, undefined, 2)}\n`;
const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/**
 * Replaces a JSON file, and makes its folder: a reader finds the old document or the new one, never a part;
 * the new one also after a power failure. One process writes it, one document at a time.
 */
export async function writeJson(path: string, document: unknown): Promise<void> {
  await mkdir(dirname(path), FOLDER);
  const file = await open(nextOf(path), REPLACES, FILE_MODE);
  try {
    await file.writeFile(textOf(document));
    await file.sync();
  } finally {
    await file.close();
  }
  await rename(nextOf(path), path);
  await syncFolder(dirname(path));
}

/**
 * The same, before the next step of this process.
 * @param durable the new document also after a power failure; otherwise it may then find no JSON, which is
 *   for what ends with the boot
 */
export function writeJsonSync(path: string, document: unknown, durable = true): void {
  mkdirSync(dirname(path), FOLDER);
  withFile(openSync(nextOf(path), REPLACES, FILE_MODE), (fd) => {
    writeFileSync(fd, textOf(document));
    if (durable) fsyncSync(fd);
  });
  renameSync(nextOf(path), path);
  if (durable) withFile(openSync(dirname(path), constants.O_RDONLY), fsyncSync);
}

/** @returns undefined if there is none, or if it is no JSON: such a file is set aside, for people */
export async function readJson<T>(path: string): Promise<T | undefined> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as T;
  } catch (error) {
    if (isMissing(error)) return undefined;
    if (!(error instanceof SyntaxError)) throw new Error(`${path} cannot be read`, { cause: error });
    await rename(path, `${path}.damaged`);
    process.emitWarning(`${path} was damaged, and is ${path}.damaged now.`);
    return undefined;
  }
}

/**
 * @returns undefined if there is none, or if it is no JSON. Such a file stays: the process that writes it is
 * often another one, and may be replacing it.
 */
export function readJsonSync<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch (error) {
    if (isMissing(error) || error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** A power failure may bring it back. */
export async function removeJson(path: string): Promise<void> {
  await rm(path, { force: true });
}

/** Paths of the JSON files in a directory; none if there is no directory. */
export async function jsonFilesIn(directory: string): Promise<string[]> {
  try {
    const names = await readdir(directory);
    return names.filter((name) => name.endsWith('.json')).map((name) => join(directory, name));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

function withFile(fd: number, work: (fd: number) => void): void {
  try {
    work(fd);
  } finally {
    closeSync(fd);
  }
}
