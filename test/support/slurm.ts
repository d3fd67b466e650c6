import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, openSync, closeSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { find } from './components';
import { eventually } from './eventually';
import { freePorts } from './free-ports';

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 15_000;

/** A real Slurm with one node, in one directory, run by the calling user on its own ports. */
export class Slurm {
  private readonly daemons: ChildProcess[] = [];

  private constructor(readonly directory: string) {}

  /** If the start fails, it stops everything it started. */
  static async start(): Promise<Slurm> {
    const directory = mkdtempSync(join(tmpdir(), 'slurm-test-'));
    const slurm = new Slurm(directory);
    try {
      await slurm.boot();
      return slurm;
    } catch (error) {
      await slurm.stop();
      throw error;
    }
  }

  path(...parts: string[]): string {
    return join(this.directory, ...parts);
  }

  /** The output of one of Slurm's programs. */
  async run(program: string, ...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)(find(program) ?? program, args, {
      cwd: this.path('jobs'),
      env: this.environment(),
      maxBuffer: 64 * 1024 * 1024,
      timeout: 20_000,
    });
    return stdout;
  }

  /** @returns the number of the job */
  async submit(name: string, script: string, ...options: string[]): Promise<number> {
    const args = ['--parsable', `--job-name=${name}`, '--output=/dev/null', ...options, `--wrap=${script}`];
    return Number(await this.run('sbatch', ...args));
  }

  async stop(): Promise<void> {
    // Jobs first, because their processes outlive the daemons.
    await this.cancelAll().catch(() => undefined);
    // In the reverse order of their start: the node's daemon first, munge last.
    for (const daemon of [...this.daemons].reverse()) await stopProcess(daemon);
    rmSync(this.directory, { recursive: true, force: true });
  }

  private async cancelAll(): Promise<void> {
    if (this.daemons.length < 3) return;
    await this.run('scancel', `--user=${userInfo().username}`);
    await eventually(async () => {
      const left = await this.run('squeue', '--noheader', '--states=RUNNING,SUSPENDED,COMPLETING,CONFIGURING');
      if (left.trim() !== '') throw new Error(`jobs are left: ${left}`);
    }, STOP_TIMEOUT_MS);
  }

  private environment(): NodeJS.ProcessEnv {
    return { ...process.env, SLURM_CONF: this.path('etc', 'slurm.conf') };
  }

  private async boot(): Promise<void> {
    chmodSync(this.directory, 0o755);
    for (const name of ['etc', 'run', 'log', 'state', 'spool', 'jobs', 'munge']) mkdirSync(this.path(name));
    chmodSync(this.path('munge'), 0o700);
    writeFileSync(this.path('munge', 'munge.key'), randomBytes(128), { mode: 0o400 });
    const [controllerPort = 0, nodePort = 0] = await freePorts(2);
    writeFileSync(this.path('etc', 'slurm.conf'), this.configuration(controllerPort, nodePort));

    const socket = this.path('run', 'munge.socket');
    this.launch('munged', [
      '--foreground',
      '--force',
      `--key-file=${this.path('munge', 'munge.key')}`,
      `--socket=${socket}`,
      `--pid-file=${this.path('run', 'munged.pid')}`,
      `--log-file=${this.path('log', 'munged.log')}`,
      `--seed-file=${this.path('munge', 'munged.seed')}`,
    ]);
    await eventually(() => expect(existsSync(socket)).toBe(true), START_TIMEOUT_MS);
    const configuration = ['-D', '-f', this.path('etc', 'slurm.conf')];
    this.launch('slurmctld', configuration);
    this.launch('slurmd', [...configuration, '-N', 'n1']);
    await eventually(async () => {
      if ((await this.run('sinfo', '--noheader', '--Node', '--format=%T')).trim() !== 'idle')
        throw new Error('the node is not idle yet');
    }, START_TIMEOUT_MS);
  }

  private launch(program: string, args: string[]): void {
    const log = openSync(this.path('log', `${program}.out`), 'a');
    // In its own process group, so that an interrupt of the tests does not reach it before its jobs are
    // cancelled.
    const daemon = spawn(find(program) ?? program, args, {
      env: this.environment(),
      stdio: ['ignore', log, log],
      detached: true,
    });
    closeSync(log);
    daemon.on('error', () => undefined);
    this.daemons.push(daemon);
  }

  private configuration(controllerPort: number, nodePort: number): string {
    const { username } = userInfo();
    const host = hostname().split('.')[0] ?? 'localhost';
    return `
ClusterName=test
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${controllerPort}
SlurmUser=${username}
SlurmdUser=${username}
AuthType=auth/munge
AuthInfo=socket=${this.path('run', 'munge.socket')}
StateSaveLocation=${this.path('state')}
SlurmdSpoolDir=${this.path('spool')}
SlurmctldPidFile=${this.path('run', 'slurmctld.pid')}
SlurmdPidFile=${this.path('run', 'slurmd.pid')}
SlurmctldLogFile=${this.path('log', 'slurmctld.log')}
SlurmdLogFile=${this.path('log', 'slurmd.log')}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobCompType=jobcomp/none
AccountingStorageType=accounting_storage/none
MailProg=/bin/true
ReturnToService=2
SlurmdParameters=config_overrides
SchedulerParameters=sched_min_interval=0,batch_sched_delay=0
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
DefMemPerCPU=10
KillWait=2
MinJobAge=86400
NodeName=n1 NodeHostName=${host} NodeAddr=127.0.0.1 Port=${nodePort} CPUs=8 RealMemory=500 State=UNKNOWN
PartitionName=batch Nodes=n1 Default=YES MaxTime=INFINITE State=UP
`;
  }
}

async function stopProcess(process: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => {
    if (process.exitCode !== null || process.signalCode !== null || process.pid === undefined) resolve();
    else process.once('exit', () => resolve());
  });
  process.kill('SIGTERM');
  await Promise.race([ended, sleep(STOP_TIMEOUT_MS, undefined, { ref: false })]);
  process.kill('SIGKILL');
  await ended;
}
