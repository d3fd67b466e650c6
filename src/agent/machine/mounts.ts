import { readFile } from 'node:fs/promises';

/** Where a file system is mounted. */
export interface Mount {
  readonly point: string;
  /** As `ext4` or `nfs4`. */
  readonly type: string;
}

/** Those of a process; of one that has ended, none. The last one at a place hides those before it. */
export async function mountsOf(pid: number | 'self'): Promise<Mount[]> {
  const text = await readFile(`/proc/${pid}/mountinfo`, 'utf8').catch(() => '');
  return [...new Map(mountsIn(text).map((mount) => [mount.point, mount])).values()];
}

/** @param mountInfo as /proc/PID/mountinfo has it */
export function mountsIn(mountInfo: string): Mount[] {
  return mountInfo.split('\n').flatMap((line) => {
    // Behind the hyphen stands the type of the file system.
    const [before = '', behind = ''] = line.split(' - ');
    const [point, type] = [before.split(' ')[4], behind.split(' ')[0]];
    return point === undefined || !type ? [] : [{ point: unescaped(point), type }];
  });
}

/** The kernel writes blanks and backslashes as octal numbers. */
const unescaped = (text: string): string =>
  text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));

/** The mount that a path is on. @returns undefined if none of these has it */
export function mountOf(path: string, mounts: readonly Mount[]): Mount | undefined {
  let found: Mount | undefined;
  for (const mount of mounts)
    if (isBelow(path, mount.point) && mount.point.length > (found?.point.length ?? -1)) found = mount;
  return found;
}

const isBelow = (path: string, point: string): boolean =>
  point === '/' || path === point || path.startsWith(`${point}/`);
