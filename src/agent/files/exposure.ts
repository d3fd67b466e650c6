import { chmodSync, lstatSync, mkdirSync, readdirSync, readlinkSync, type Stats } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { AgentFailure } from '../failures';

const WRITABLE_BY_OTHERS = 0o022;
/** In such a directory, only the owner of a file may replace it. */
const STICKY = 0o1000;
const MAX_LINKS = 40;
const PRIVATE = 0o700;

/** Who may change what this process reads: root, its own user, and whoever became root by sudo. */
function trustedUsers(): Set<number> {
  const users = new Set([0, process.geteuid?.() ?? 0]);
  const caller = process.env.SUDO_UID;
  if (caller !== undefined && /^\d+$/.test(caller)) users.add(Number(caller));
  return users;
}

/** Why others may change a file; undefined if they may not. */
export function exposureOfFile(path: string, { uid, mode }: Pick<Stats, 'uid' | 'mode'>): string | undefined {
  if (!trustedUsers().has(uid)) return `${path} belongs to the user ${uid}`;
  return mode & WRITABLE_BY_OTHERS ? `others may write to ${path}` : undefined;
}

/**
 * Why others may replace what is below a directory; undefined if they may not. Each directory on the way must
 * be closed to them too, and each link. What is not there yet is not looked at.
 */
export const exposureOf = (directory: string): string | undefined => exposure(resolve(directory), 0);

function exposure(path: string, links: number): string | undefined {
  const names = path.split('/').filter(Boolean);
  for (let depth = 0; depth <= names.length; depth++) {
    const at = `/${names.slice(0, depth).join('/')}`;
    const stat = lstatSync(at, { throwIfNoEntry: false });
    if (!stat) return undefined;
    if (stat.isSymbolicLink()) {
      if (!trustedUsers().has(stat.uid)) return `the link ${at} belongs to the user ${stat.uid}`;
      if (links === MAX_LINKS) return `${at} leads through more than ${MAX_LINKS} links`;
      return exposure(join(resolve(dirname(at), readlinkSync(at)), ...names.slice(depth)), links + 1);
    }
    const isOnTheWay = depth < names.length;
    if (isOnTheWay && stat.mode & STICKY && trustedUsers().has(stat.uid)) continue;
    const exposed = exposureOfFile(at, stat);
    if (exposed !== undefined) return exposed;
  }
  return undefined;
}

/**
 * Makes a directory that nobody else may change, with all that is missing above it. An empty one of this user
 * is closed to others: a new volume of a pod is open to all.
 * @param what as messages name it
 * @param flag of the setting that chooses another one
 * @throws AgentFailure `permission_missing`
 */
export function makePrivate(directory: string, what: string, flag: string): void {
  closeEmpty(directory);
  refuseExposed(directory, what, flag);
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw new AgentFailure(
      {
        cause: 'permission_missing',
        message: `The ${what} ${directory} cannot be made: ${code}.`,
        remedy: `Make it by hand, or choose another one with ${flag}.`,
      },
      { cause: error },
    );
  }
  refuseExposed(directory, what, flag);
}

/** What somebody puts there meanwhile is seen behind, and then nothing has changed. */
function closeEmpty(directory: string): void {
  const stat = lstatSync(directory, { throwIfNoEntry: false });
  if (!stat?.isDirectory() || stat.uid !== process.geteuid?.() || !(stat.mode & WRITABLE_BY_OTHERS)) return;
  if (exposureOf(dirname(resolve(directory))) !== undefined || readdirSync(directory).length > 0) return;
  chmodSync(directory, PRIVATE);
  if (readdirSync(directory).length > 0) chmodSync(directory, stat.mode);
}

function refuseExposed(directory: string, what: string, flag: string): void {
  const exposed = exposureOf(directory);
  if (exposed === undefined) return;
  throw new AgentFailure({
    cause: 'permission_missing',
    message: `The ${what} ${directory} is not safe: ${exposed}.`,
    remedy: `${EXPOSED_REMEDY} Or choose another one with ${flag}.`,
  });
}

export const EXPOSED_REMEDY = 'Use chown and chmod go-w, so that only root or you may change it.';
