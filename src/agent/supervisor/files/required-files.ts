import type { Stats } from 'node:fs';
import { stat } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentFailure, type FailureFacts } from '../../failures';
import { mountOf, mountsOf, type Mount } from '../../machine/mounts';
import type { Manifest } from '../../store/manifest';
import { neededFiles, type ImageFile } from './image-files';

/** The kernel makes these anew for each process. */
const OF_KERNEL = /^\/(?:proc|sys)(?:\/|$)/;
/** Of a manifest: more say nothing new. */
const MAX_MOUNTS = 100;
/** A file on a network file system whose server is down is never found, and never missing. */
const LONGEST_LOOK_MS = 5_000;

interface Look {
  readonly stat: (path: string) => Promise<Pick<Stats, 'size' | 'isFile'>>;
  readonly longestMs: number;
}

/**
 * The mounts that a restore of these images needs beside the root. Without a list of files there are none: a
 * dump is good whether or not they are noted.
 * @param mounts of the workload
 */
export async function neededMounts(directory: string, mounts: readonly Mount[]): Promise<Mount[]> {
  const found = new Map<string, Mount>();
  for (const { path } of await filesOf(directory)) {
    const mount = OF_KERNEL.test(path) ? undefined : mountOf(path, mounts);
    if (mount && mount.point !== '/') found.set(mount.point, mount);
  }
  return [...found.values()].slice(0, MAX_MOUNTS);
}

/**
 * Refuses a restore for which a file or a mount is missing, or a file has another size, before CRIU reads the
 * images. CRIU itself compares the build ids of programs and libraries, and says the rest if the look takes
 * too long.
 * @param directory of the images
 * @throws AgentFailure `mount_missing`, `file_changed`
 */
export async function requireFiles(
  directory: string,
  manifest: Manifest,
  look: Look = { stat, longestMs: LONGEST_LOOK_MS },
): Promise<void> {
  const late = new AbortController();
  const { signal } = late;
  try {
    await Promise.race([
      lookFor(directory, manifest, look),
      delay(look.longestMs, undefined, { signal }).catch(() => undefined),
    ]);
  } finally {
    late.abort();
  }
}

/** Images that cannot be read so are a matter of CRIU, which says what is wrong with them. */
const filesOf = (directory: string): Promise<ImageFile[]> => neededFiles(directory).catch(() => []);

async function lookFor(
  directory: string,
  { workload: { log, mounts = [] } }: Manifest,
  { stat: statOf }: Look,
): Promise<void> {
  const files = await filesOf(directory);
  const here = mounts.length === 0 ? [] : await mountsOf('self');
  for (const file of files) {
    // Its log is given to it open.
    if (file.path === log.path || OF_KERNEL.test(file.path)) continue;
    const failure = await faultOf(file, mounts, here, statOf);
    if (failure) throw new AgentFailure(failure);
  }
}

async function faultOf(
  { path, size }: ImageFile,
  mounts: readonly Mount[],
  here: readonly Mount[],
  statOf: Look['stat'],
): Promise<FailureFacts | undefined> {
  const found = await statOf(path).catch((error: unknown) => error as NodeJS.ErrnoException);
  if (!(found instanceof Error)) {
    if (size === undefined || !found.isFile() || found.size === size) return undefined;
    return {
      cause: 'file_changed',
      message: `The file ${path} has ${found.size} bytes, and had ${size} when it was dumped.`,
      remedy: 'Put the file back as it was, or open it in append mode and for writing only, as logs are.',
    };
  }
  // Who may not look may be allowed to by CRIU.
  if (found.code !== 'ENOENT' && found.code !== 'ENOTDIR') return undefined;
  const mount = mountOf(path, mounts);
  if (mount && !here.some(({ point }) => point === mount.point))
    return {
      cause: 'mount_missing',
      message: `The file ${path} was on the mount ${mount.point} (${mount.type}), which is not on this machine.`,
      remedy: 'Mount it, or restore where it is.',
    };
  return {
    cause: 'file_changed',
    message: `The file ${path}, which was open when it was dumped, cannot be opened: it is not there.`,
    remedy: 'Restore where the same files are, on a directory that both machines see.',
  };
}
