import { constants } from 'node:fs';
import { GHOST_FILE_BYTES } from '../criu/limits';
import { named, type Finding } from './finding';
import type { OpenFile, ProcessFacts, ProcessTree } from './process-tree';

const DELETED = ' (deleted)';

/** CRIU knows the devices of memory: null, zero, full, random, urandom and kmsg, of major number 1. */
const MEMORY_DEVICES = 1;
const TERMINALS = [4, 5, 136, 137, 138, 139, 140, 141, 142, 143];

/** Anonymous files of the kernel that CRIU cannot save. */
const UNSUPPORTED = /^anon_inode:\[?(userfaultfd|perf_event|kvm[\w-]*|iommufd|secretmem)/;

const CLOSE_IT = 'Close it before the checkpoint, by the quiesce hook.';

export function findFiles({ processes }: ProcessTree): Finding[] {
  return processes
    .flatMap((process) => [
      ...process.files.flatMap((file) => findFile(process, file) ?? []),
      ...process.mapped.flatMap((path) => findMapping(process, path) ?? []),
    ])
    .concat(findPipes(processes));
}

/** A pipe of which the workload holds one end only leads to another process. */
function findPipes(processes: readonly ProcessFacts[]): Finding[] {
  const ends = processes.flatMap((process) =>
    process.files.filter(({ target }) => target.startsWith('pipe:')).map((file) => ({ process, ...file })),
  );
  const held = new Set(ends.flatMap(({ target, flags }) => sides(flags).map((side) => side + target)));
  return ends.flatMap(({ process, target, flags, descriptor }) =>
    held.has('read ' + target) && held.has('write ' + target)
      ? []
      : [
          {
            cause: 'unclassified' as const,
            severity: 'warn' as const,
            message: `${named(process)} ${sides(flags).includes('read ') ? 'reads from' : 'writes to'} a process outside the workload, by the pipe of descriptor ${descriptor}.`,
            remedy: 'Let it use a file, or run both processes in one workload: a restored pipe leads nowhere.',
          },
        ],
  );
}

function sides(flags: number): string[] {
  const access = flags & (constants.O_WRONLY | constants.O_RDWR);
  return access === constants.O_RDWR ? ['read ', 'write '] : [access === constants.O_WRONLY ? 'write ' : 'read '];
}

function findFile(process: ProcessFacts, file: OpenFile): Finding | undefined {
  const { target, descriptor, mode } = file;
  if (target.includes('[io_uring]')) return ioUring(process);
  const unsupported = UNSUPPORTED.exec(target)?.[1];
  if (unsupported !== undefined)
    return {
      cause: 'unclassified',
      severity: 'block',
      message: `${named(process)} has a ${unsupported} open as descriptor ${descriptor}, which CRIU cannot save.`,
      remedy: CLOSE_IT,
    };
  if (target.includes('inotify') && target.startsWith('anon_inode:')) return inotify(process, file);
  const type = mode & constants.S_IFMT;
  if (type === constants.S_IFCHR || type === constants.S_IFBLK) return device(process, file, type);
  if (!target.startsWith('/')) return undefined;
  if (!process.mountIds.has(file.mount) && !target.startsWith('/memfd:') && !target.startsWith('/dmabuf:'))
    return {
      cause: 'mount_missing',
      severity: 'block',
      message: `${named(process)} has ${target} open, on a mount that it does not have.`,
      remedy: CLOSE_IT,
    };
  if (type === constants.S_IFREG) return regularFile(process, file);
  return undefined;
}

const ioUring = (process: ProcessFacts): Finding => ({
  cause: 'io_uring',
  severity: 'block',
  message: `${named(process)} uses io_uring, which CRIU cannot save.`,
  remedy: 'Switch io_uring off in the workload; for Node.js, set UV_USE_IO_URING=0.',
});

function inotify(process: ProcessFacts, { descriptor, information }: OpenFile): Finding | undefined {
  const watches = information.match(/^inotify wd:/gm)?.length ?? 0;
  if (watches === 0) return undefined;
  return {
    cause: 'inotify',
    severity: 'warn',
    message: `${named(process)} watches ${watches} paths, by descriptor ${descriptor}; a restore needs all of them.`,
    remedy: 'Restore where the watched paths are, or end the watch before the checkpoint, by the quiesce hook.',
  };
}

/** The kernel's encoding of a device number. */
const major = (device: number): number => Math.floor(device / 256) & 0xfff;

function device(process: ProcessFacts, file: OpenFile, type: number): Finding | undefined {
  const { target, descriptor } = file;
  if (type === constants.S_IFCHR && major(file.device) === MEMORY_DEVICES) return undefined;
  const opened = `${named(process)} has ${target} open as descriptor ${descriptor}`;
  if (isGpu(target)) return gpu(process, target);
  if (type === constants.S_IFCHR && TERMINALS.includes(major(file.device)))
    return {
      cause: 'device_file',
      severity: 'block',
      message: `${opened}: a terminal, which does not belong to the workload.`,
      remedy: 'Start the workload by `ccp-agent run`, which gives it a log in place of a terminal.',
    };
  return {
    cause: 'device_file',
    severity: 'block',
    message: `${opened}: a device that CRIU cannot save.`,
    remedy: CLOSE_IT,
  };
}

const isGpu = (path: string): boolean => /^\/dev\/(nvidia|dri\/|kfd)/.test(path);

const gpu = (process: ProcessFacts, path: string): Finding => ({
  cause: 'gpu_driver',
  severity: 'block',
  message: `${named(process)} uses the GPU by ${path}, and CRIU alone cannot save its memory.`,
  remedy: 'Free the GPU before the checkpoint, by the quiesce hook.',
});

function regularFile(process: ProcessFacts, file: OpenFile): Finding | undefined {
  const { target, flags, bytes, links } = file;
  if (target.startsWith('/memfd:')) return undefined;
  if (target.endsWith(DELETED)) {
    const path = target.slice(0, -DELETED.length);
    if (links > 0)
      return {
        cause: 'file_changed',
        severity: 'block',
        message: `${named(process)} has ${path} open, which was removed and still has another name.`,
        remedy: 'Keep the name under which the workload opened the file, or close it by the quiesce hook.',
      };
    if (bytes <= GHOST_FILE_BYTES) return undefined;
    return {
      cause: 'file_changed',
      severity: 'block',
      message: `${named(process)} has ${path} open, which was removed; its ${bytes} bytes are too many for the images.`,
      remedy: 'Keep the file in place, or close it by the quiesce hook.',
    };
  }
  const access = flags & (constants.O_WRONLY | constants.O_RDWR);
  // CRIU does not compare the size of a log: open for writing only, in append mode.
  const isLog = access === constants.O_WRONLY && (flags & constants.O_APPEND) !== 0;
  if (access === constants.O_RDONLY || isLog) return undefined;
  return {
    cause: 'file_changed',
    severity: 'warn',
    message: `${named(process)} writes to ${target}; a restore needs it with exactly as many bytes as at the dump.`,
    remedy: 'Keep the file beside the checkpoint, and let nobody else write to it.',
  };
}

function findMapping(process: ProcessFacts, path: string): Finding | undefined {
  if (path.includes('[io_uring]')) return ioUring(process);
  if (path.startsWith('/SYSV'))
    return {
      cause: 'unclassified',
      severity: 'block',
      message: `${named(process)} uses System V shared memory.`,
      remedy: 'Use POSIX shared memory, or start the workload in an IPC namespace of its own.',
    };
  if (isGpu(path)) return gpu(process, path);
  if (path.endsWith(DELETED) && /\.so(\.|$)/.test(path.slice(0, -DELETED.length)))
    return {
      cause: 'file_changed',
      severity: 'warn',
      message: `${named(process)} runs ${path.slice(0, -DELETED.length)}, which was replaced since it started.`,
      remedy: 'Start the workload again, so that it uses the installed library.',
    };
  return undefined;
}
