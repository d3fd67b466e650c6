import { spawn, type SpawnOptions } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';

/** Prevents the start; reported to the person in one line. */
export class EmbeddedServerError extends Error {}

/** Another process uses the data directory. */
export class DirectoryInUse extends EmbeddedServerError {}

/** Account that the server runs as. */
export interface Account {
  uid: number;
  gid: number;
}

/** Directory for files if the server's account cannot reach the data directory (a clone below /root). */
export const ROOT_FALLBACK_DIR = '/var/lib/checkpoint-control-plane';

/** PostgreSQL refuses to run as root: it then runs as the account `postgres`, or else as `nobody`. */
export async function unprivilegedAccount(): Promise<Account | undefined> {
  if (process.getuid?.() !== 0) return undefined;
  const accounts = (await readFile('/etc/passwd', 'utf8')).split('\n').map((line) => line.split(':'));
  for (const name of ['postgres', 'nobody']) {
    const [, , uid, gid] = accounts.find(([login]) => login === name) ?? [];
    if (uid && gid) return { uid: Number(uid), gid: Number(gid) };
  }
  throw new EmbeddedServerError(
    'PostgreSQL does not run as root, and neither an account postgres nor nobody exists; set DATABASE_URL',
  );
}

/** How to run the server's programs. */
export const serverProcess = (account: Account | undefined): SpawnOptions => ({
  ...(account ?? {}),
  cwd: '/',
  // Without this process's environment, which may hold secrets.
  env: { PATH: process.env.PATH, LANG: 'C.UTF-8', LC_ALL: 'C.UTF-8', TZ: 'UTC' },
});

/** Whether an account may enter a directory, checked by the kernel as that account. */
export async function reachable(directory: string, { uid, gid }: Account): Promise<boolean> {
  const probe = spawn('/bin/sh', ['-c', 'test -x "$0"', directory], { uid, gid, stdio: 'ignore', cwd: '/' });
  const [code] = (await once(probe, 'exit')) as [number | null];
  return code === 0;
}
