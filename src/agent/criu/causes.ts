import type { Cause, FailureFacts } from '../failures';
import { errorLines, KEPT_LINES } from './criu-log';

/** What a failed run of CRIU left behind. */
export interface FailedRun {
  readonly action: 'dump' | 'restore';
  readonly log: string;
  /** What CRIU printed itself: all there is if it failed before it opened its log. */
  readonly output: string;
}

/** Also an inspection says so, before CRIU is asked. */
export const UNPRIVILEGED_REMEDY = 'Run the workload as root, or in a container, which has a /proc of its own.';

/** CRIU makes it where a workload is, and it has the same name for each one. */
export const DIRECTORY_OF_CRIU = 'proc.crtools';
export const REMOVED_REMEDY = 'Let the process change to a directory that stays, for example by the quiesce hook.';
export const READ_ONLY_REMEDY = 'Start the workload in a directory in which CRIU can make one for a moment.';
export const TAKEN_REMEDY =
  'Repeat it after the other dump. If there is none, repeat it in an hour, when the agent removes the directory, ' +
  `or remove ${DIRECTORY_OF_CRIU}.`;

export interface CauseRow {
  readonly pattern: RegExp;
  readonly cause: Cause;
  /** One sentence; the strings are the groups of the pattern. */
  readonly message: (...groups: string[]) => string;
  readonly remedy: string;
}

/** CRIU opens files relative to the root, and logs them so. */
const path = (text: string): string => (text.startsWith('/') ? text : `/${text}`);

/**
 * What CRIU's errors mean. The first error of the log that has a row decides, because later errors only
 * follow from it. For one error, the first row decides.
 */
export const CAUSE_ROWS: readonly CauseRow[] = [
  {
    pattern: /File (\S+) has bad size (\d+) \(expect (\d+)\)/,
    cause: 'file_changed',
    message: (file, now, then) => `The file ${path(file)} has ${now} bytes, and had ${then} when it was dumped.`,
    remedy: 'Put the file back as it was, or open it in append mode and for writing only, as logs are.',
  },
  {
    pattern: /File (\S+) has bad (mode|build-ID)/,
    cause: 'file_changed',
    message: (file, what) => `The file ${path(file)} has another ${what} than when it was dumped.`,
    remedy: 'Restore with the same programs and libraries, for example from the same container image.',
  },
  {
    pattern: /Can't open file (\S+) on restore: (.+)/,
    cause: 'file_changed',
    message: (file, why) => `The file ${path(file)}, which was open when it was dumped, cannot be opened: ${why}.`,
    remedy: 'Restore where the same files are, on a directory that both machines see.',
  },
  {
    pattern: /Can't dump ghost file (\S+) of (\d+) size/,
    cause: 'file_changed',
    message: (file, size) => `The file ${file}, which was removed and is still open, is too large: ${size} bytes.`,
    remedy: 'Keep the file in place, or close it before the checkpoint, by the quiesce hook.',
  },
  {
    pattern: /Can't create link remap for (\S+?)\. Use link-remap/,
    cause: 'file_changed',
    message: (file) => `The file ${file} is open, was removed, and has another name.`,
    remedy: 'Keep the name under which the workload opened the file, or close it by the quiesce hook.',
  },
  {
    pattern: /Can't fork for (\d+): File exists/,
    cause: 'pid_taken',
    message: (pid) => `The process id ${pid} is in use here.`,
    remedy: 'Start the workload by `ccp-agent run`, which gives it process ids of its own.',
  },
  {
    pattern:
      /External socket is used|Unix socket \S+ without peer|Dumping of (?:(?!Dumping of).)* unix (?:(?! unix ).)*not supported/,
    cause: 'external_socket',
    message: () => 'A Unix socket leads to a process outside the workload.',
    remedy: 'Close the connection by the quiesce hook, or run both processes in one workload.',
  },
  {
    pattern: /Connected TCP socket, consider using|In-flight connection/,
    cause: 'tcp_connection',
    message: () => 'A TCP connection is established.',
    remedy: 'Let the workload close its connections before the checkpoint, by the quiesce hook.',
  },
  {
    pattern:
      /Failed to lock TCP connection|Iptables configuration failed|Locking network failed|execvp\("ip6?tables-restore"/,
    cause: 'tcp_connection',
    message: () => 'The network of the workload cannot be held during the dump: the firewall refuses it.',
    remedy: 'Install iptables, or close the connections by the quiesce hook.',
  },
  {
    pattern: /Can't bind inet socket [^']*Address already in use/,
    cause: 'port_taken',
    message: () => 'Another process listens on the port of the workload.',
    remedy: 'End the other process, or start the workload in a network namespace of its own.',
  },
  {
    pattern: /Can't bind inet socket [^']*Cannot assign requested address/,
    cause: 'tcp_connection',
    message: () => 'This machine does not have the network address of the workload.',
    remedy: 'Restore where the address is, or let the workload listen on every address.',
  },
  {
    pattern: /\[io_uring\]|send_fds failed \(-22\)/,
    cause: 'io_uring',
    message: () => 'A process uses io_uring, which CRIU cannot save.',
    remedy: 'Switch io_uring off in the workload; for Node.js, set UV_USE_IO_URING=0.',
  },
  {
    pattern: /Can't dump file (\d+) of that type \[\d+\] \(chr (\d+:\d+)\)/,
    cause: 'device_file',
    message: (fd, device) => `A process has the device ${device} open as descriptor ${fd}, which CRIU cannot save.`,
    remedy: 'Close the device before the checkpoint, by the quiesce hook.',
  },
  {
    pattern: /Net namespace is required to dump tun link/,
    cause: 'device_file',
    message: () => 'A process has the device /dev/net/tun open, outside a network namespace of its own.',
    remedy: 'Close the device before the checkpoint, by the quiesce hook.',
  },
  {
    pattern: /Can't lookup mount=\S+ for fd=(\S+) path=(\S+)/,
    cause: 'mount_missing',
    message: (fd, file) => `The file ${file}, open as descriptor ${fd}, is on a mount that the workload does not have.`,
    remedy: 'Do not start the workload in a mount namespace of its own, and close files of other mounts.',
  },
  {
    pattern: /No mapping for (\S+) mountpoint|(?<!\S)mnt\S*: Can't (?:open|find|mount at) (\S+)/,
    cause: 'mount_missing',
    message: (first, second) => `The mount ${first || second} is not on this machine.`,
    remedy: 'Mount it, or restore where it is.',
  },
  {
    pattern: /fsnotify: (?:Unable to open|Can't (?:open|find|lookup)[^'/]*) (\/[^\s:]+)(?=:|$)/m,
    cause: 'inotify',
    message: (file) => `A process watches ${file}, which cannot be found.`,
    remedy: 'Put the watched path back, or end the watch before the checkpoint, by the quiesce hook.',
  },
  {
    pattern: /fsnotify: \s*(.+)/,
    cause: 'inotify',
    message: (what) => `A watch of files cannot be saved: ${what}.`,
    remedy: 'End the watch before the checkpoint, by the quiesce hook.',
  },
  {
    pattern: /invalid cgroup configuration|cg: (?:Failed|Unable|Can't|cgroupd).*/,
    cause: 'cgroup_mode',
    message: () => 'The control groups of the workload do not fit this machine.',
    remedy: 'Restore on a machine with the same version of control groups.',
  },
  {
    pattern: /CPU (?:capabilit|instruction|feature)|cpu: [^:]*(?:mismatch|not supported|do not match)/i,
    cause: 'cpu_features',
    message: () => 'This CPU lacks features that the workload uses.',
    remedy: 'Restore on a machine whose CPU has at least the same features.',
  },
  {
    pattern:
      /vdso: Unexpected rt vDSO area bounds|kerndat_vdso_fill_symtable failed|rseq(?:(?!rseq).)*(?:fail|not supported)/,
    cause: 'rseq_or_libc',
    message: () => 'This CRIU is too old for the kernel or the C library.',
    remedy: 'Install a newer CRIU.',
  },
  {
    pattern: /(apparmor|selinux) LSM specified but \S+ not supported|(apparmor) parsing failed/,
    cause: 'security_profile',
    message: (first, second) => `The ${first || second} profile of the workload cannot be set on this machine.`,
    remedy: 'Restore on a machine with the same security module and profile.',
  },
  {
    pattern: /seccomp: [^:]*Can't (?:fetch|collect|find)|(?<!\w)[Ss]uspend\w* seccomp/,
    cause: 'security_profile',
    message: () => "The workload's seccomp filter cannot be saved.",
    remedy: 'Run the workload without a seccomp filter, or give CRIU the capability CAP_SYS_ADMIN.',
  },
  {
    pattern:
      /Can't read (?:mapping page|pages data)|Unexpected EOF|Can't open dir|Couldn't open image dir|[Mm]agic doesn't match/,
    cause: 'checkpoint_damaged',
    message: () => 'The images are not complete.',
    remedy: 'Take another checkpoint; this one cannot be restored.',
  },
  {
    pattern: /CRIU needs to have the (CAP_\w+)/,
    cause: 'permission_missing',
    message: (capability) => `CRIU lacks the capability ${capability}.`,
    remedy: 'Run the agent as root.',
  },
  {
    pattern: /parasite\.c:\d+\): Can't create a directory \(-2\)/,
    cause: 'file_changed',
    message: () => 'The working directory of a process was removed.',
    remedy: REMOVED_REMEDY,
  },
  {
    pattern: /parasite\.c:\d+\): Can't create a directory \(-30\)/,
    cause: 'mount_missing',
    message: () => 'The working directory of a process is read-only.',
    remedy: READ_ONLY_REMEDY,
  },
  {
    pattern: /parasite\.c:\d+\): Can't create a directory \(-17\)/,
    cause: 'busy',
    message: () => `A ${DIRECTORY_OF_CRIU} is in the working directory of a process, as during another dump there.`,
    remedy: TAKEN_REMEDY,
  },
  {
    pattern: /can't dump unprivileged task whose \/proc|parasite\.c:\d+\): Can't create a directory \(-(?:1|13)\)/,
    cause: 'permission_missing',
    message: () => 'A process of the workload gave up rights of root, and then CRIU cannot see its process ids.',
    remedy: UNPRIVILEGED_REMEDY,
  },
  {
    pattern: /Unable to (?:detach from|interrupt task:?) (\d+)\D[^U]*No such process/,
    cause: 'workload_ended',
    message: (pid) => `The process ${pid} has ended.`,
    remedy: 'Start the workload again.',
  },
  {
    pattern: /No space left on device/,
    cause: 'store_failed',
    message: () => 'The disk of the images is full.',
    remedy: 'Free some space, or let the agent use another directory.',
  },
  {
    pattern: /A session leader of \S+ is outside of its pid namespace/,
    cause: 'unclassified',
    message: () => 'The workload belongs to a session that another process leads.',
    remedy: 'Start it by `ccp-agent run`, or with setsid.',
  },
  {
    pattern: /with SysVIPC shmem map \S+ doesn't live in IPC ns/,
    cause: 'unclassified',
    message: () => 'A process uses System V shared memory, which is not in an IPC namespace of its own.',
    remedy: 'Use POSIX shared memory, or start the workload in an IPC namespace of its own.',
  },
  {
    pattern: /Can't dump file (\d+) of that type \[\d+\] \(\S+ anon_inode:\[?(\w+)/,
    cause: 'unclassified',
    message: (fd, kind) => `A process has a ${kind} open as descriptor ${fd}, which CRIU cannot save.`,
    remedy: 'Close it before the checkpoint, by the quiesce hook.',
  },
  {
    pattern: /Unknown socket collected \(family (\d+)\)/,
    cause: 'unclassified',
    message: (family) => `A process has a socket of the address family ${family} open, which CRIU cannot save.`,
    remedy: 'Close it before the checkpoint, by the quiesce hook.',
  },
];

/**
 * Why a restore failed although CRIU exited with 0. It does so if a process fails in its last step, where it
 * reads its memory.
 */
export function hiddenFailure(log: string): FailureFacts | undefined {
  const facts = explain({ action: 'restore', log, output: '' });
  return facts.remedy === undefined ? undefined : facts;
}

/** The first error that has a row, with the groups of its pattern. @param lines errors, oldest first */
export function knownError(lines: readonly string[]): { row: CauseRow; groups: string[] } | undefined {
  for (const line of lines)
    for (const row of CAUSE_ROWS) {
      const match = row.pattern.exec(line);
      if (match) return { row, groups: match.slice(1) };
    }
  return undefined;
}

/** Says why CRIU failed, by the first error of its log that is known. */
export function explain(run: FailedRun): FailureFacts {
  const inLog = errorLines(run.log);
  // Before it has a log, CRIU prints; what it prints is not always marked as an error.
  const lines = inLog.length > 0 ? inLog : run.output.split('\n').filter((line) => line !== '');
  const log = lines.slice(-KEPT_LINES);
  const known = knownError(lines);
  if (known) {
    const { cause, message, remedy } = known.row;
    return { cause, message: message(...known.groups), remedy, log };
  }
  const [first] = lines;
  return {
    cause: 'unclassified',
    message: first === undefined ? `CRIU's ${run.action} failed without an error in its log.` : `CRIU: ${first}`,
    log,
  };
}
