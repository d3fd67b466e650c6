import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import {
  access,
  chown,
  lstat,
  mkdir,
  readFile,
  realpath,
  rename,
  rm,
  symlink,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { EmbeddedServerError, reachable, ROOT_FALLBACK_DIR, serverProcess, type Account } from './embedded-account';
import { ensureExecutable, type Binaries } from './embedded-binaries';

export const SUPERUSER = 'postgres';

/** How long a server may take to stop. */
export const STOP_TIMEOUT_MS = 20_000;

/**
 * The server's files below the data directory, or elsewhere behind a link if its account cannot reach that.
 */
export async function filesDirectory(root: string, account: Account | undefined, logger: Logger): Promise<string> {
  const wanted = join(root, 'postgres');
  if (!account) {
    await mkdir(wanted, { recursive: true, mode: 0o700 });
    return wanted;
  }
  const link = await lstat(wanted).catch(() => undefined);
  if (!link) {
    if (await reachable(root, account)) {
      await mkdir(wanted, { mode: 0o700 });
    } else {
      const elsewhere = join(ROOT_FALLBACK_DIR, `${basename(dirname(root))}-${randomBytes(4).toString('hex')}`);
      await mkdir(ROOT_FALLBACK_DIR, { recursive: true, mode: 0o755 });
      await mkdir(elsewhere, { mode: 0o700 });
      await symlink(elsewhere, wanted);
      logger.warn(
        { dataDir: root, files: elsewhere },
        'the account PostgreSQL runs as cannot reach DATA_DIR: its files are kept elsewhere, behind a link',
      );
    }
    await chown(wanted, account.uid, account.gid);
  }
  // The account could not follow the link either.
  return realpath(wanted);
}

/** Whether the directory contains a database cluster. */
export const isInitialised = (files: string): Promise<boolean> =>
  access(join(files, 'PG_VERSION')).then(
    () => true,
    () => false,
  );

/** Creates a database cluster. */
export async function initialise(
  files: string,
  password: string,
  binaries: Binaries,
  account: Account | undefined,
): Promise<void> {
  for (const binary of [binaries.initdb, binaries.postgres]) await ensureExecutable(binary);
  // Under another name until it is complete: otherwise the next start would use half a cluster.
  const partial = `${files}.new`;
  await rm(partial, { recursive: true, force: true });
  await mkdir(partial, { mode: 0o700 });
  if (account) await chown(partial, account.uid, account.gid);
  const flags = [
    `--pgdata=${partial}`,
    `--username=${SUPERUSER}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C.UTF-8',
    '--no-instructions',
  ];
  // Readable by the server's account, and nobody else.
  const passwordFile = join(tmpdir(), `control-plane-${randomBytes(8).toString('hex')}`);
  await writeFile(passwordFile, password, { mode: 0o600, flag: 'wx' });
  if (account) await chown(passwordFile, account.uid, account.gid);
  const child = spawn(binaries.initdb, [...flags, `--pwfile=${passwordFile}`], {
    ...serverProcess(account),
    // Outside the terminal's group: this process handles a Ctrl-C between two steps.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let complaint = '';
  child.stderr?.on('data', (chunk: Buffer) => (complaint += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  await unlink(passwordFile);
  if (code !== 0) throw new EmbeddedServerError(`initdb failed: ${complaint.trim().split('\n').join(' ')}`);
  await rename(partial, files);
}

const PASSWORD_FILE = 'postgres.password';

/** Whether a service was ever started on the data directory. */
export const wasStarted = (root: string): Promise<boolean> =>
  access(join(root, PASSWORD_FILE)).then(
    () => true,
    () => false,
  );

/** The port of the server that runs, or last ran, on the data directory; undefined if it stopped cleanly. */
export async function serverPort(root: string): Promise<number | undefined> {
  const content = await readFile(join(root, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  // The fourth line, as PostgreSQL documents it.
  const port = Number(content.split('\n')[3]);
  return Number.isInteger(port) && port > 0 ? port : undefined;
}

/** The password of both roles, created at the first start and stored next to the files. */
export async function passwordOf(root: string): Promise<string> {
  const file = join(root, PASSWORD_FILE);
  const kept = await readFile(file, 'utf8').catch(() => undefined);
  if (kept) return kept;
  const password = randomBytes(24).toString('hex');
  await writeFile(file, password, { mode: 0o600 });
  return password;
}

/**
 * The server of a killed instance keeps running: it is stopped, and a lock file without a server is removed.
 */
export async function stopOrphan(files: string, logger: Logger): Promise<void> {
  const pidFile = join(files, 'postmaster.pid');
  const content = await readFile(pidFile, 'utf8').catch(() => '');
  const pid = Number(content.split('\n')[0]);
  if (!Number.isInteger(pid) || pid <= 0) return;
  if (await isServerOf(pid, files)) {
    logger.warn({ pid }, 'stopping the database server of an instance that was killed');
    process.kill(pid, 'SIGINT');
    for (let waited = 0; alive(pid); waited += 50) {
      if (waited > STOP_TIMEOUT_MS)
        throw new EmbeddedServerError(
          `the database server that a killed service left behind does not stop; end process ${pid}`,
        );
      await sleep(50);
    }
  } else {
    await unlink(pidFile).catch(() => undefined);
  }
}

const alive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
};

/** Process ids are reused: the process counts only if its command line names these files. */
async function isServerOf(pid: number, files: string): Promise<boolean> {
  if (!alive(pid)) return false;
  const commandLine = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => commandLineOf(pid));
  return commandLine.split(/[\0 ]/).includes(files);
}

/** On systems without /proc. */
async function commandLineOf(pid: number): Promise<string> {
  const ps = spawn('ps', ['-p', String(pid), '-o', 'command='], { stdio: ['ignore', 'pipe', 'ignore'] });
  return text(ps.stdout);
}
