import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { startOf } from './processes';

/**
 * Waits until its input ends: what it watches is over, went wrong, or this process was killed. Then it kills
 * what is left. A pid alone might be another process by then, so it counts with the time at which its process
 * started. The root of the tree takes its PID namespace with it.
 *
 * While CRIU restores a tree, its root is not known. All processes of the tree, and nothing else, have CRIU's
 * log open for writing until the last step: the environment and the name of a process are gone before. In
 * that step CRIU writes the pid of the root into a file, so it gets a moment to end by itself. Who reads the
 * log, such as a program that collects logs, has nothing to do with it.
 *
 * It ends when all of that has ended, however long the kernel takes for it: as long as it runs, it has the
 * lock of the workload's name open, so no other supervisor starts anything of that name. A zombie has ended:
 * its memory, its files and its PID namespace are gone.
 */
const GUARD = `
log= file= group= root= started=
started_at() {
  read -r stat <"/proc/$1/stat" || return
  set -- \${stat##*) }
  shift 19
  echo "$1"
}
runs() {
  read -r stat <"/proc/$1/stat" || return
  set -- \${stat##*) }
  [ "$1" != Z ] && [ "$1" != X ]
}
writes() {
  while read -r name flags; do
    case $name$flags in flags:*[12]) return 0 ;; esac
  done <"/proc/$1/fdinfo/$2"
  return 1
}
end() {
  kill -KILL "$1"
  while runs "$1" && [ "$(started_at "$1")" = "$2" ]; do sleep 0.01; done
}
while IFS= read -r line; do
  what=\${line%% *} rest=\${line#* }
  case $what in
    log) log=$rest ;;
    file) file=$rest ;;
    group) group=\${rest#group} ;;
    root) root=\${rest%% *} started=\${rest#* } ;;
  esac
done
if [ -n "$group" ]; then
  round=0
  while runs "$group" && [ $round -lt 40 ]; do
    sleep 0.05
    round=$((round + 1))
  done
  kill -KILL -- "-$group"
  while :; do
    found=
    for open in /proc/[0-9]*/fd/*; do
      [ "$open" -ef "$log" ] || continue
      pid=\${open#/proc/} pid=\${pid%%/*}
      writes "$pid" "\${open##*/}" || continue
      kill -KILL "$pid" && found=yes
    done
    [ -z "$found" ] && break
    sleep 0.05
  done
  pid=
  read -r pid <"$file"
  since=$(started_at "$pid")
  # Of a restore that this process watched, and the first process of a namespace.
  [ -n "$pid" ] && [ "$since" -ge "$(started_at $$)" ] &&
    grep -q '^NSpid:.*[[:space:]]1$' "/proc/$pid/status" && end "$pid" "$since"
fi
[ -n "$root" ] && [ "$(started_at "$root")" = "$started" ] && end "$root" "$started"`;

/** The kernel may take longer to end a process. Then the guard waits for it alone. */
const END_WITHIN_MS = 10_000;

interface WatchedCommand {
  readonly program: string;
  readonly args: readonly string[];
  readonly files: readonly (number | Writable)[];
}

/**
 * Ends processes at the latest when this process ends, however it ends. It is a process of its own, because
 * this one may be killed at any time. The kernel can do it too (`PR_SET_PDEATHSIG`), but forgets it when a
 * process gives up privileges.
 */
export class ProcessGuard {
  private static ready: ProcessGuard | undefined;
  private readonly input: Writable;

  private constructor(
    private readonly child: ChildProcess,
    private readonly lock: number | undefined,
  ) {
    this.input = child.stdin!;
    // It ends by itself when this process does.
    child.unref();
    (this.input as Writable & { unref(): void }).unref();
    this.input.on('error', () => {});
  }

  /** The next one with this lock will be there at once. */
  static async prepare(lock?: number): Promise<void> {
    ProcessGuard.ready ??= await ProcessGuard.begin(lock);
  }

  /** @param lock an open file with a lock, which is held until all that the guard watches has ended */
  static async start(lock?: number): Promise<ProcessGuard> {
    const { ready } = ProcessGuard;
    ProcessGuard.ready = undefined;
    return ready && ready.lock === lock && !ready.hasEnded ? ready : ProcessGuard.begin(lock);
  }

  private static async begin(lock: number | undefined): Promise<ProcessGuard> {
    const child = spawn('sh', ['-c', GUARD, 'ccp-agent'], {
      stdio: ['pipe', 'ignore', 'ignore', lock ?? 'ignore'],
      env: { PATH: process.env.PATH },
      // Signals to the agent's group are not for it.
      detached: true,
    });
    await once(child, 'spawn');
    return new ProcessGuard(child, lock);
  }

  /**
   * A restore begins.
   * @param log absolute path of CRIU's log: only this restore writes to it
   * @param pidFile absolute path of the file into which CRIU writes the pid of the root; it is not there yet
   */
  watchRestore(log: string, pidFile: string): void {
    if (`${log}${pidFile}`.includes('\n'))
      throw new Error('The guard of a restore cannot read paths of several lines.');
    this.input.write(`log ${log}\nfile ${pidFile}\n`);
  }

  /**
   * A command that names its process group to the guard before it becomes the program: this process may be
   * killed as soon as the program runs. The program has the guard's lock open: it may outlive the guard too.
   * @param files that the program gets. The lock is behind them. The last one, which the program does not
   * get, is for the guard
   */
  watched(program: string, args: readonly string[], files: readonly number[]): WatchedCommand {
    const kept = this.lock === undefined ? files : [...files, this.lock];
    const place = 3 + kept.length;
    const script = `echo "group $$" >&${place} && exec "$@" ${place}>&-`;
    return { program: '/bin/sh', args: ['-c', script, 'ccp-agent', program, ...args], files: [...kept, this.input] };
  }

  /** The root of the tree is known. */
  watchRoot(root: number): void {
    const started = startOf(root);
    if (started !== undefined) this.input.write(`root ${root} ${started}\n`);
  }

  /** CRIU is done, so only the root is left to be watched: another group may get the number of CRIU's. */
  restored(): void {
    this.input.write('group\n');
  }

  /** Ends what is left, and waits until it is gone, but not for ever. */
  async end(): Promise<void> {
    if (this.hasEnded) return;
    const over = new AbortController();
    const ended = once(this.child, 'exit').finally(() => over.abort());
    this.child.ref();
    this.input.end();
    await Promise.race([ended, delay(END_WITHIN_MS, undefined, { signal: over.signal }).catch(() => {})]);
    this.child.unref();
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
