import { CAUSE_ROWS, explain } from './causes';
import { errorLines, KEPT_LINES } from './criu-log';

/**
 * One line for each row, in the order of the table. `real`: CRIU wrote it, in a test of `test/agent/criu` or
 * when the table was made. `format`: the format string of CRIU's program with values put in, because this
 * error cannot be provoked: `causes.spec.ts` there says why.
 */
const LINES: readonly [from: 'real' | 'format', line: string, cause: string, message: RegExp][] = [
  [
    'real',
    'Error (criu/files-reg.c:2191): File tmp/x/out has bad size 15 (expect 10)',
    'file_changed',
    /^The file \/tmp\/x\/out has 15 bytes, and had 10 /,
  ],
  [
    'real',
    'Error (criu/files-reg.c:2294): File tmp/x/open has bad mode 0100600 (expect 0100644)',
    'file_changed',
    /\/tmp\/x\/open has another mode/,
  ],
  [
    'real',
    "Error (criu/files-reg.c:2353): Can't open file tmp/x/out on restore: No such file or directory",
    'file_changed',
    /\/tmp\/x\/out, .*: No such file or directory/,
  ],
  [
    'real',
    "Error (criu/files-reg.c:1031): Can't dump ghost file /tmp/x/gone of 200704 size, increase limit",
    'file_changed',
    /\/tmp\/x\/gone.* 200704 bytes/,
  ],
  [
    'real',
    "Error (criu/files-reg.c:1122): Can't create link remap for /tmp/x/l1. Use link-remap option.",
    'file_changed',
    /The file \/tmp\/x\/l1 is open/,
  ],
  ['real', "Error (criu/cr-restore.c:1237): Can't fork for 14164: File exists", 'pid_taken', /process id 14164/],
  [
    'real',
    'Error (criu/sk-unix.c:874): unix: External socket is used. Consider using --ext-unix-sk option.',
    'external_socket',
    /Unix socket/,
  ],
  [
    'real',
    'Error (criu/sk-inet.c:200): inet: Connected TCP socket, consider using --tcp-established option.',
    'tcp_connection',
    /is established/,
  ],
  ['real', 'Error (criu/netfilter.c:105): Iptables configuration failed', 'tcp_connection', /cannot be held/],
  [
    'real',
    "Error (criu/sk-inet.c:1059): inet: Can't bind inet socket (id 26): Address already in use",
    'port_taken',
    /listens on the port/,
  ],
  [
    'real',
    "Error (criu/sk-inet.c:1059): inet: Can't bind inet socket (id 26): Cannot assign requested address",
    'tcp_connection',
    /does not have the network address/,
  ],
  ['real', 'pie: 1: Error (criu/pie/parasite.c:588): send_fds failed (-22)', 'io_uring', /io_uring/],
  [
    'real',
    "Error (criu/files-ext.c:94): Can't dump file 3 of that type [20600] (chr 10:229)",
    'device_file',
    /device 10:229 open as descriptor 3/,
  ],
  ['real', 'Error (criu/tun.c:306): tun: Net namespace is required to dump tun link', 'device_file', /\/dev\/net\/tun/],
  [
    'real',
    "Error (criu/files-reg.c:1790): Can't lookup mount=24 for fd=0 path=/dev/null",
    'mount_missing',
    /\/dev\/null, open as descriptor 0/,
  ],
  [
    'format',
    "Error (criu/mount-v2.c:1): mnt-v2: Can't mount at /data: No such file or directory",
    'mount_missing',
    /\/data/,
  ],
  [
    'real',
    'Error (criu/fsnotify.c:510): fsnotify: Unable to open /tmp/x/watched: No such file or directory',
    'inotify',
    /watches \/tmp\/x\/watched,/,
  ],
  ['real', "Error (criu/fsnotify.c:284): fsnotify: \tCan't dump that handle", 'inotify', /: Can't dump that handle\./],
  [
    'format',
    "Error (criu/cgroup.c:1): cg: Can't make cgroup dir /x: Read-only file system",
    'cgroup_mode',
    /control groups/,
  ],
  ['format', 'Error (compel/cpu.c:1): CPU instruction capabilities do not match run time', 'cpu_features', /CPU/],
  ['real', 'Error (criu/vdso.c:1): vdso: Unexpected rt vDSO area bounds', 'rseq_or_libc', /too old/],
  [
    'real',
    'Error (criu/lsm.c:406): apparmor LSM specified but apparmor not supported by kernel',
    'security_profile',
    /apparmor profile/,
  ],
  [
    'real',
    'Error (compel/src/lib/ptrace.c:27): suspending seccomp failed: Operation not permitted',
    'security_profile',
    /seccomp/,
  ],
  [
    'real',
    "Error (criu/pagemap.c:256): Can't read mapping page 0: No such file or directory",
    'checkpoint_damaged',
    /not complete/,
  ],
  [
    'real',
    'CRIU needs to have the CAP_SYS_ADMIN or the CAP_CHECKPOINT_RESTORE capability: ',
    'permission_missing',
    /CAP_SYS_ADMIN/,
  ],
  ...(
    [
      [-2, 'file_changed', /was removed/],
      [-30, 'mount_missing', /is read-only/],
      [-17, 'busy', /A proc\.crtools is in the working directory/],
    ] as const
  ).map(([code, cause, message]): (typeof LINES)[number] => [
    'real',
    `pie: 1: Error (criu/pie/parasite.c:634): Can't create a directory (${code})`,
    cause,
    message,
  ]),
  [
    'real',
    "pie: 1: Error (criu/pie/parasite.c:641): can't dump unprivileged task whose /proc doesn't belong to it",
    'permission_missing',
    /rights of root/,
  ],
  [
    'real',
    'Error (compel/src/lib/infect.c:417): Unable to detach from 999999: No such process',
    'workload_ended',
    /process 999999 has ended/,
  ],
  [
    'real',
    'Error (criu/page-xfer.c:263): page-xfer: Unable to spice data: No space left on device',
    'store_failed',
    /full/,
  ],
  [
    'real',
    'Error (criu/cr-dump.c:1528): A session leader of 14271(1) is outside of its pid namespace',
    'unclassified',
    /session/,
  ],
  [
    'real',
    "Error (criu/cr-dump.c:478): Task 12324 with SysVIPC shmem map @7fe4d8164000 doesn't live in IPC ns",
    'unclassified',
    /System V/,
  ],
  [
    'real',
    "Error (criu/files-ext.c:94): Can't dump file 3 of that type [600] (anon anon_inode:[userfaultfd])",
    'unclassified',
    /userfaultfd open as descriptor 3/,
  ],
  [
    'real',
    'Error (criu/sockets.c:767): sockets: BUG! Unknown socket collected (family 40)',
    'unclassified',
    /family 40/,
  ],
];

const FOLLOWS = 'Error (criu/cr-dump.c:1975): Dumping FAILED.';

describe('causes of a failed dump or restore', () => {
  it('has one line for each row of the table, and the row is the first that knows it', () => {
    const rows = LINES.map(([, line]) => CAUSE_ROWS.findIndex(({ pattern }) => pattern.test(line)));
    expect(rows).toEqual(CAUSE_ROWS.map((_, index) => index));
  });

  it.each(LINES)('knows a %s line: %s', (_from, line, cause, message) => {
    const text = `(00.1) Dumping\n(00.2) ${line}\n(00.3) ${FOLLOWS}\n`;
    // Without a capability, CRIU prints only, and opens no log.
    const run = cause === 'permission_missing' ? { log: '', output: text } : { log: text, output: '' };
    const facts = explain({ action: 'dump', ...run });
    expect(facts).toMatchObject({
      cause,
      message: expect.stringMatching(message),
      remedy: expect.stringMatching(/^[A-Z].*\.$/),
      log: expect.arrayContaining([expect.stringContaining(line.trim())]),
    });
    expect(facts.message).toMatch(/^[A-Z].*\.$/);
  });

  it('takes the first error that it knows, not the last', () => {
    const log = [
      "Error (criu/util.c:1534): rlimit: Can't setup RLIMIT_NOFILE for self: Operation not permitted",
      'Error (criu/util.c:657): exited, status=127',
      LINES[8]![1],
      LINES[11]![1],
      FOLLOWS,
    ].join('\n');
    expect(explain({ action: 'dump', log, output: '' }).cause).toBe('tcp_connection');
  });

  it.each([
    ['tcp_connection', 'Error (criu/util.c:642): execvp("iptables-restore", ...) failed: No such file or directory'],
    ['tcp_connection', 'Error (criu/net.c:3436): net: Locking network failed: iptables-restore returned -1.'],
    ['checkpoint_damaged', "pie: 1: Error (criu/pie/restorer.c:1907): Can't read pages data (-9)"],
    ['checkpoint_damaged', "Error (criu/image.c:554): Head magic doesn't match for core-1.img"],
    ['file_changed', 'Error (criu/files-reg.c:2100): File usr/lib/libc.so.6 has bad build-ID'],
    ['security_profile', "Error (criu/seccomp.c:1): seccomp: Can't fetch filter on tid_real 7 i 0: Permission denied"],
  ])('knows another line of the cause %s: %s', (cause, line) => {
    expect(explain({ action: 'restore', log: line, output: '' }).cause).toBe(cause);
  });

  it('hands on the first error that it does not know', () => {
    const log = `Error (criu/x.c:1): Something new\n${FOLLOWS}`;
    const facts = explain({ action: 'dump', log, output: '' });
    expect(facts).toMatchObject({ cause: 'unclassified', message: 'CRIU: Error (criu/x.c:1): Something new' });
    expect(facts.remedy).toBeUndefined();
  });

  it('reads what CRIU printed if it left no log', () => {
    const output = 'CRIU needs to have the CAP_SYS_ADMIN or the CAP_CHECKPOINT_RESTORE capability: \nsetcap x\n';
    expect(explain({ action: 'dump', log: '', output }).cause).toBe('permission_missing');
    expect(explain({ action: 'dump', log: '', output: '' }).message).toMatch(/without an error in its log/);
  });

  it('keeps the last error lines, and a bounded number of characters of each', () => {
    const log = Array.from({ length: 50 }, (_, i) => `Error (x.c:${i}): ${'y'.repeat(5_000)}`).join('\n');
    const kept = explain({ action: 'dump', log, output: '' }).log!;
    expect(kept).toHaveLength(KEPT_LINES);
    expect(kept.at(-1)).toMatch(/^Error \(x\.c:49\)/);
    expect(Math.max(...kept.map((line) => line.length))).toBeLessThanOrEqual(1_000);
  });

  it('leaves out lines that are no errors, and errors that stop nothing', () => {
    const log = "Warn  (a)\n(00.1) Error (b.c:1): rlimit: Can't setup RLIMIT_NOFILE for self: x\nError (c.c:1): d";
    expect(errorLines(log)).toEqual(['Error (c.c:1): d']);
  });
});
