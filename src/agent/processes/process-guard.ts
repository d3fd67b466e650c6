import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { startOf } from './processes';

/**
 * Waits until its input ends: what it watches is over, went wrong, or this process was killed. Then it kills
 * what is left. A pid alone might be another process by then, so it counts with the time at which its process
 * started. The root of the tree takes its PID namespace with it.
 *
 * While CRIU restores a tree, its root is not known. All processes of the tree, and nothing else, have CRIU's
 * log open until the last step: the environment and the name of a process are gone before. In that step CRIU
 * writes the pid of the root into a file, so it gets a moment to end by itself.
 */
const GUARD = `
log= file= group= root= started=
started_at() {
  read -r stat <"/proc/$1/stat" || return
  set -- \${stat##*) }
  shift 19
  echo "$1"
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
  while kill -0 "$group" && [ $round -lt 40 ]; do
    sleep 0.05
    round=$((round + 1))
  done
  kill -KILL -- "-$group"
  round=0
  while [ $round -lt 100 ]; do
    found=
    for open in /proc/[0-9]*/fd/*; do
      [ "$open" -ef "$log" ] || continue
      pid=\${open#/proc/}
      kill -KILL "\${pid%%/*}" && found=yes
    done
    [ -z "$found" ] && break
    sleep 0.05
    round=$((round + 1))
  done
  pid=
  read -r pid <"$file"
  # Of a restore that this process watched, and the first process of a namespace.
  [ -n "$pid" ] && [ "$(started_at "$pid")" -ge "$(started_at $$)" ] &&
    grep -q '^NSpid:.*[[:space:]]1$' "/proc/$pid/status" && kill -KILL "$pid"
fi
[ -n "$root" ] && [ "$(started_at "$root")" = "$started" ] && kill -KILL "$root"`;

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

  private constructor(private readonly child: ChildProcess) {
    this.input = child.stdin!;
    // It ends by itself when this process does.
    child.unref();
    (this.input as Writable & { unref(): void }).unref();
    this.input.on('error', () => {});
  }

  /** The next one will be there at once. */
  static async prepare(): Promise<void> {
    ProcessGuard.ready ??= await ProcessGuard.begin();
  }

  static async start(): Promise<ProcessGuard> {
    const { ready } = ProcessGuard;
    ProcessGuard.ready = undefined;
    return ready && !ready.hasEnded ? ready : ProcessGuard.begin();
  }

  private static async begin(): Promise<ProcessGuard> {
    const child = spawn('sh', ['-c', GUARD, 'ccp-agent'], {
      stdio: ['pipe', 'ignore', 'ignore'],
      env: { PATH: process.env.PATH },
      // Signals to the agent's group are not for it.
      detached: true,
    });
    await once(child, 'spawn');
    return new ProcessGuard(child);
  }

  /**
   * A restore begins.
   * @param log absolute path of CRIU's log: only this restore has it open
   * @param pidFile absolute path of the file into which CRIU writes the pid of the root; it is not there yet
   */
  watchRestore(log: string, pidFile: string): void {
    if (`${log}${pidFile}`.includes('\n'))
      throw new Error('The guard of a restore cannot read paths of several lines.');
    this.input.write(`log ${log}\nfile ${pidFile}\n`);
  }

  /**
   * A command that names its process group to the guard before it becomes the program: this process may be
   * killed as soon as the program runs.
   * @param files that the program gets; the last one, which it does not get, is for the guard
   */
  watched(program: string, args: readonly string[], files: readonly number[]): WatchedCommand {
    const place = 3 + files.length;
    const script = `echo "group $$" >&${place} && exec "$@" ${place}>&-`;
    return { program: '/bin/sh', args: ['-c', script, 'ccp-agent', program, ...args], files: [...files, this.input] };
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

  /** Ends what is left, and waits until it is gone. */
  async end(): Promise<void> {
    if (this.hasEnded) return;
    const ended = once(this.child, 'exit');
    this.child.ref();
    this.input.end();
    await ended;
  }

  private get hasEnded(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }
}
