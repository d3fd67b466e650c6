import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { delimiter, join, resolve } from 'node:path';
// The whole package would take 3 MB of each supervisor.
import coerce from 'semver/functions/coerce';
import gte from 'semver/functions/gte';
import { AgentFailure } from '../failures';
import { explain, hiddenFailure } from './causes';
import { findProgram, PROGRAM_DIRECTORIES, runCommand, type CommandResult } from './command';
import { readLog } from './criu-log';
import { GHOST_FILE_BYTES } from './limits';
import type { CriuStatistics } from './criu-statistics';
import { ProcessGuard } from '../processes/process-guard';
import { childrenOf } from '../processes/processes';
import { ownDirectory, PID_FILE } from './restore-directory';
import { RestoredProcess } from './restored-process';

/** Older ones do not know the memory layout of today's kernels. */
const OLDEST = '4.0.0';

const CHECK_LIMIT_MS = 30_000;
const DUMP_LIMIT_MS = 30 * 60_000;

/** `close` restores established connections as closed ones, which a server sees as its clients leaving. */
export type Connections = 'refuse' | 'close';

interface ImageOptions {
  /** Of the images. */
  readonly directory: string;
  /** For log, statistics and pid file; made if it is not there. One run at a time may use it. */
  readonly workDirectory: string;
  /** What happens to established TCP connections: the same on restore as on dump. Default: `close`. */
  readonly connections?: Connections | undefined;
  /** That of the processes; undefined: the network of CRIU itself. */
  readonly network?: ExternalNetwork | undefined;
}

/**
 * A network namespace that is no part of the images: they name it by its key, and another one takes its place
 * at a restore. `file` is it, open.
 */
export interface ExternalNetwork {
  readonly key: string;
  readonly inode: number;
  readonly file: number;
}

export interface DumpOptions extends ImageOptions {
  /** Process id, as this machine sees it, of the root of the tree. */
  readonly pid: number;
  /** What the processes do afterwards. `stopped`: as if by SIGSTOP. `killed` is the default. */
  readonly afterwards?: 'killed' | 'running' | 'stopped' | undefined;
}

export interface RestoreOptions extends ImageOptions {
  /** Open files in place of external resources: `key` as in `--inherit-fd fd[N]:KEY`. */
  readonly inherited?: readonly { readonly file: number; readonly key: string }[] | undefined;
  /** An open file with a lock, which is held until nothing of this restore can be left any more. */
  readonly lock?: number | undefined;
  /** Then it failed, and nothing of it is left: see `restoreLimitMs`. */
  readonly timeLimitMs: number;
  readonly signal?: AbortSignal | undefined;
}

export interface Dumped {
  readonly durationNs: number;
  /** The members of stats-dump. */
  readonly statistics: CriuStatistics;
}

export interface Restored {
  readonly durationNs: number;
  /** The members of stats-restore. */
  readonly statistics: CriuStatistics;
  /** The root of the restored tree. */
  readonly process: RestoredProcess;
}

export interface CriuCheck {
  /** CRIU finds what it cannot do without. */
  readonly good: boolean;
  /** Its own words if it does not. */
  readonly problems: readonly string[];
  /** What this kernel and this CRIU have; undefined: it is not known. */
  readonly features: Readonly<Record<CriuFeature, boolean | undefined>>;
}

/** By their names of `criu check --feature`: what the check of all says where one is missing. */
const FEATURES = {
  seccomp_suspend: /suspend.seccomp/i,
  mem_dirty_track: /dirty tracking is off/i,
  network_lock_nftables: /nftables/i,
} as const;
export type CriuFeature = keyof typeof FEATURES;
const FEATURE_NAMES = Object.keys(FEATURES) as CriuFeature[];

/** What a check of all says that found what CRIU cannot do without. */
const GOOD = /^Looks good/m;
/** Its words for people. Other lines name what is missing. */
const WORDS = /^(Looks good|which, depending|dump or restore failure)/;

/** By this process. A supervisor has one at most. */
let restoresUnderWay = 0;

/** The program CRIU on this machine. All methods throw `AgentFailure` with the cause in words. */
export class Criu {
  private checked: Promise<CriuCheck> | undefined;

  private constructor(
    /** Absolute path. */
    readonly program: string,
    readonly version: string,
  ) {}

  /**
   * @param setting path of the program, or its name; default: `criu`, in PATH and in the system's directories
   * @throws AgentFailure `criu_missing` if it is not there or too old
   */
  static async find(setting = 'criu'): Promise<Criu> {
    const program = await findProgram(setting);
    if (program === undefined)
      throw new AgentFailure({
        cause: 'criu_missing',
        message: `The program ${setting} is not on this machine.`,
        remedy: `Install CRIU ${OLDEST} or newer.`,
      });
    const { output } = await runCommand(program, ['--version'], limits(CHECK_LIMIT_MS));
    const version = coerce(/Version: (\S+)/.exec(output)?.[1]);
    if (version === null)
      throw new AgentFailure({ cause: 'criu_missing', message: `${program} does not print CRIU's version.` });
    if (!gte(version, OLDEST))
      throw new AgentFailure({
        cause: 'criu_missing',
        message: `${program} is CRIU ${version.version}, which is older than ${OLDEST}.`,
        remedy: `Install CRIU ${OLDEST} or newer.`,
      });
    return new Criu(program, version.version);
  }

  /** Loads what a run of CRIU needs here. */
  static async prepare(): Promise<void> {
    await statisticsReader();
  }

  /** What this kernel and this CRIU can do together. Asked once. */
  check(): Promise<CriuCheck> {
    this.checked ??= this.runChecks();
    return this.checked;
  }

  private async runChecks(): Promise<CriuCheck> {
    // It names each feature that is missing, beside what CRIU cannot do without.
    const { exitCode, output } = await this.run(['check', '--extra'], limits(CHECK_LIMIT_MS));
    const good = exitCode !== null && GOOD.test(output);
    const lines = output.split('\n').filter((line) => line !== '' && !WORDS.test(line));
    const missing = FEATURE_NAMES.filter((name) => lines.some((line) => FEATURES[name].test(line)));
    // Another CRIU may have other words for one of them.
    const isUnderstood = lines.every((line) => missing.some((name) => FEATURES[name].test(line)));
    const has = (name: CriuFeature): boolean | Promise<boolean | undefined> | undefined => {
      if (!good) return undefined;
      if (missing.includes(name)) return false;
      return isUnderstood || this.has(name);
    };
    const found = await Promise.all(FEATURE_NAMES.map(async (name) => [name, await has(name)] as const));
    return { good, problems: good ? [] : lines, features: Object.fromEntries(found) as CriuCheck['features'] };
  }

  /** @returns undefined if that is not known */
  private async has(feature: CriuFeature): Promise<boolean | undefined> {
    const { exitCode } = await this.run(['check', '--feature', feature], limits(CHECK_LIMIT_MS));
    return exitCode === null ? undefined : exitCode === 0;
  }

  /** With which this program was built, by its help. @returns undefined if that does not say it */
  async pluginDirectory(): Promise<string | undefined> {
    const { output } = await this.run(['--help'], limits(CHECK_LIMIT_MS));
    return /plugin directory \(by default ([^\s)]+)\)/.exec(output)?.[1];
  }

  /**
   * Writes the images of a process tree. If it fails, the processes go on. Nobody can abort it: CRIU runs
   * code of its own in the processes, and one that is killed at that moment may leave them stopped for ever.
   * For the same reason its time limit is only a last resort.
   */
  async dump(options: DumpOptions): Promise<Dumped> {
    // The whole machine, or this agent itself, which could never report the end.
    if (options.pid <= 1 || options.pid === process.pid)
      throw new AgentFailure({ cause: 'unclassified', message: `The process ${options.pid} cannot be dumped.` });
    await mkdir(options.workDirectory, { recursive: true });
    const args = [
      'dump',
      ['--tree', String(options.pid)],
      AFTERWARDS[options.afterwards ?? 'killed'],
      ['--ghost-limit', String(GHOST_FILE_BYTES)],
      options.network ? ['--external', `net[${options.network.inode}]:${options.network.key}`] : [],
      this.imageFlags(options, 'dump.log'),
    ].flat();
    const result = await this.run(args, limits(DUMP_LIMIT_MS));
    if (result.exitCode !== 0) throw await this.failure('dump', options.workDirectory, DUMP_LIMIT_MS, result);
    return {
      durationNs: result.durationNs,
      statistics: await statisticsIn(join(options.workDirectory, 'stats-dump')),
    };
  }

  /**
   * Restores a process tree from images that may be read only, and that other restores may read at once.
   *
   * The root of the tree becomes a child of this process, not of CRIU. CRIU can stay as the parent, but then
   * exits with 0 however its child ended. Detached without `--restore-sibling`, the tree belongs to init, and
   * nobody learns how it ended. As a child of this process, its exit code can be read.
   *
   * Images that end too early keep a process of the tree reading for ever, whatever becomes of CRIU. So a
   * guard ends all of it: if the restore fails, at its time limit, and when this process ends, also later.
   */
  async restore(options: RestoreOptions): Promise<Restored> {
    const { timeLimitMs, signal, network } = options;
    const inherited = [...(options.inherited ?? []), ...(network ? [network] : [])];
    // The guard of an earlier restore may still look for what has the log of that one open.
    const workDirectory = await ownDirectory(options.workDirectory);
    if (network) await mkdir(LOCKS, { recursive: true });
    const pidFile = resolve(workDirectory, PID_FILE);
    const log = resolve(workDirectory, RESTORE_LOG);
    const args = [
      'restore',
      ['--restore-detached', '--restore-sibling', '--pidfile', pidFile],
      inherited.flatMap(({ key }, index) => ['--inherit-fd', `fd[${FIRST_FILE + index}]:${key}`]),
      this.imageFlags({ ...options, workDirectory }, RESTORE_LOG),
    ].flat();
    const guard = await ProcessGuard.start(options.lock);
    guard.watchRestore(log, pidFile);
    const earlier = new Set(childrenOf(process.pid));
    restoresUnderWay++;
    try {
      const files = inherited.map(({ file }) => file);
      const watched = guard.watched(this.program, args, files);
      const bounds = { ...limits(timeLimitMs), signal, files: watched.files, leavesProcesses: true };
      const result = await this.run(watched.args, bounds, watched.program);
      if (result.exitCode !== 0) throw await this.failure('restore', workDirectory, timeLimitMs, result);
      const pid = Number(await readFile(pidFile, 'utf8'));
      guard.watchRoot(pid);
      const hidden = hiddenFailure(await readLog(log));
      if (hidden !== undefined) throw new AgentFailure(hidden);
      const statistics = await statisticsIn(join(workDirectory, RESTORE_STATISTICS));
      guard.restored();
      const process = new RestoredProcess(pid);
      void process.exited.then(() => guard.end());
      return { durationNs: result.durationNs, statistics, process };
    } catch (error) {
      await guard.end();
      // In its last step the root has closed CRIU's log, so the guard does not find it. It is a child of this
      // process, and the only new one: CRIU and the guard have ended.
      if (restoresUnderWay === 1)
        for (const pid of childrenOf(process.pid)) if (!earlier.has(pid)) process.kill(pid, 'SIGKILL');
      throw error;
    } finally {
      restoresUnderWay--;
      for (const name of [RESTORE_LOG, RESTORE_STATISTICS])
        await rename(join(workDirectory, name), resolve(options.workDirectory, name)).catch(() => {});
      await rm(workDirectory, { recursive: true, force: true });
    }
  }

  private imageFlags(options: ImageOptions, log: string): string[] {
    return [
      ['--images-dir', resolve(options.directory), '--work-dir', resolve(options.workDirectory)],
      ['--log-file', log, LOG_LEVEL],
      // Settings of the machine would change what the agent promises.
      ['--no-default-config'],
      // All processes of the tree are in the images, so nobody else holds its locks.
      ['--file-locks'],
      // The workload belongs to the cgroup of its supervisor, wherever that runs.
      ['--manage-cgroups=ignore'],
      options.connections === 'refuse' ? [] : ['--tcp-close'],
      // Nothing has to hold back the packets of connections that a restore closes, or that are not there. So
      // neither iptables nor nftables is needed.
      options.network || options.connections !== 'refuse' ? ['--network-lock', 'skip'] : [],
    ].flat();
  }

  private async run(
    args: readonly string[],
    options: Parameters<typeof runCommand>[2],
    program = this.program,
  ): Promise<CommandResult> {
    try {
      const result = runCommand(program, args, options);
      void statisticsReader();
      return await result;
    } catch (error) {
      throw new AgentFailure(
        { cause: 'criu_missing', message: `${this.program} cannot be started: ${String(error)}` },
        { cause: error },
      );
    }
  }

  private async failure(
    action: 'dump' | 'restore',
    workDirectory: string,
    timeLimitMs: number,
    { killed, output }: CommandResult,
  ): Promise<AgentFailure> {
    const log = await readLog(join(workDirectory, `${action}.log`));
    const facts = explain({ action, log, output });
    if (killed === undefined) return new AgentFailure(facts);
    const why = killed === 'aborted' ? 'was aborted' : `took longer than ${timeLimitMs / 1_000} s`;
    return new AgentFailure({ cause: 'unclassified', message: `CRIU's ${action} ${why}.`, log: facts.log });
  }
}

const FIRST_FILE = 3;
/** In a network namespace, CRIU hides what others have here. Small images of containers lack it. */
const LOCKS = '/run';

/** Figures for people. CRIU has done its work also if there was no room for them. */
const statisticsIn = async (file: string): Promise<CriuStatistics> =>
  (await statisticsReader()).readStatistics(file).catch(() => ({}));

/** It is loaded while CRIU works. */
const statisticsReader = async () =>
  (await import(join(__dirname, 'criu-statistics'))) as typeof import('./criu-statistics');

const AFTERWARDS = { killed: [], running: ['--leave-running'], stopped: ['--leave-stopped'] } as const;

/** Left in the work directory after a restore. */
const RESTORE_LOG = 'restore.log';
const RESTORE_STATISTICS = 'stats-restore';

/** Errors, and what CRIU does. One level more, and a restore that reads without an end fills the disk. */
const LOG_LEVEL = '-v3';

/** CRIU needs little of the environment, and what it gets shows in /proc. */
const limits = (timeLimitMs: number) => ({
  timeLimitMs,
  environment: { PATH: PROGRAM_DIRECTORIES.join(delimiter), LC_ALL: 'C' } as Record<string, string>,
});
