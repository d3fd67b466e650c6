import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';

const PROJECT = join(__dirname, '../..');
const CACHE = join(PROJECT, 'node_modules/.cache/compiled-programs');

/**
 * Compiles folders of `src` as `nest build` does, and copies the result into `dist` of a directory, beside
 * what it needs, so that each spec has a program of its own. They are compiled once after each change.
 */
export function installInto(directory: string, folders: readonly string[]): void {
  const compiled = join(CACHE, versionOf(folders));
  if (!existsSync(compiled)) compile(compiled, folders);
  cpSync(compiled, join(directory, 'dist'), { recursive: true });
  symlinkSync(join(PROJECT, 'node_modules'), join(directory, 'node_modules'));
  copyFileSync(join(PROJECT, 'package.json'), join(directory, 'package.json'));
}

function versionOf(folders: readonly string[]): string {
  const hash = createHash('sha1').update(readFileSync(join(PROJECT, '.swcrc')));
  for (const folder of folders)
    for (const name of readdirSync(join(PROJECT, folder), { recursive: true, encoding: 'utf8' }).sort()) {
      const { mtimeMs, size } = statSync(join(PROJECT, folder, name));
      hash.update(`${folder}/${name} ${mtimeMs} ${size}\n`);
    }
  return hash.digest('hex');
}

function compile(directory: string, folders: readonly string[]): void {
  const mine = `${directory}.${process.pid}`;
  mkdirSync(mine, { recursive: true });
  const options = ['--out-dir', mine, '--strip-leading-paths', '--quiet'];
  const swc = spawnSync(join(PROJECT, 'node_modules/.bin/swc'), [...folders, ...options], {
    cwd: PROJECT,
    encoding: 'utf8',
  });
  if (swc.status !== 0) throw new Error(swc.stderr);
  try {
    renameSync(mine, directory);
  } catch {
    // Another worker has just compiled the same.
    rmSync(mine, { recursive: true, force: true });
  }
}
