import { execFile, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir, userInfo } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { find } from './components';
import { BackgroundPrograms, stopDaemon } from './background-programs';
import { eventually } from './eventually';
import { freePorts } from './free-ports';

const START_TIMEOUT_MS = 20_000;
const STOP_TIMEOUT_MS = 15_000;

/** A real Slurm in one directory, run by the calling user on its own ports. Its nodes are this machine. */
export class Slurm {
  private readonly daemons: BackgroundPrograms;
  private controller: ChildProcess | undefined;

  private constructor(
    readonly directory: string,
    private readonly nodes: readonly string[],
  ) {
    this.daemons = new BackgroundPrograms(this.path('log'), () => this.environment());
  }

  /** If the start fails, it stops everything it started. */
  static async start({ nodes = 1 } = {}): Promise<Slurm> {
    const directory = mkdtempSync(join(tmpdir(), 'slurm-test-'));
    const slurm = new Slurm(
      directory,
      Array.from({ length: nodes }, (_, index) => `n${index + 1}`),
    );
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
    // The node's daemon first, munge last.
    await this.daemons.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  async cancelAll(): Promise<void> {
    if (this.daemons.count < 3) return;
    await this.run('scancel', `--user=${userInfo().username}`);
    await eventually(async () => {
      const left = await this.run('squeue', '--noheader', '--states=RUNNING,SUSPENDED,COMPLETING,CONFIGURING');
      if (left.trim() !== '') throw new Error(`jobs are left: ${left}`);
    }, STOP_TIMEOUT_MS);
  }

  /** With it, Slurm's programs find this one. */
  environment(): NodeJS.ProcessEnv {
    return { ...process.env, SLURM_CONF: this.path('etc', 'slurm.conf') };
  }

  private async boot(): Promise<void> {
    chmodSync(this.directory, 0o755);
    for (const name of ['etc', 'run', 'log', 'state', 'spool', 'jobs', 'munge']) mkdirSync(this.path(name));
    chmodSync(this.path('munge'), 0o700);
    writeFileSync(this.path('munge', 'munge.key'), randomBytes(128), { mode: 0o400 });
    for (const node of this.nodes) mkdirSync(this.path('spool', node));
    const [controllerPort = 0, ...nodePorts] = await freePorts(1 + this.nodes.length);
    writeFileSync(this.path('etc', 'slurm.conf'), this.configuration(controllerPort, nodePorts));

    const socket = this.path('run', 'munge.socket');
    this.daemons.launch('munged', [
      '--foreground',
      '--force',
      `--key-file=${this.path('munge', 'munge.key')}`,
      `--socket=${socket}`,
      `--pid-file=${this.path('run', 'munged.pid')}`,
      `--log-file=${this.path('log', 'munged.log')}`,
      `--seed-file=${this.path('munge', 'munged.seed')}`,
    ]);
    await eventually(() => expect(existsSync(socket)).toBe(true), START_TIMEOUT_MS);
    this.startController();
    for (const node of this.nodes) this.daemons.launch('slurmd', [...this.foreground(), '-N', node]);
    await eventually(async () => {
      const states = (await this.run('sinfo', '--noheader', '--Node', '--format=%T')).trim().split('\n');
      if (states.length !== this.nodes.length || states.some((state) => state !== 'idle'))
        throw new Error('the nodes are not idle yet');
    }, START_TIMEOUT_MS);
  }

  /** Also again, after `stopController`. */
  startController(): void {
    this.controller = this.daemons.launch('slurmctld', this.foreground());
  }

  /** Ends slurmctld. Jobs go on without it. */
  async stopController(): Promise<void> {
    if (this.controller) await stopDaemon(this.controller);
  }

  private foreground(): string[] {
    return ['-D', '-f', this.path('etc', 'slurm.conf')];
  }

  private configuration(controllerPort: number, nodePorts: readonly number[]): string {
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
SlurmdSpoolDir=${this.path('spool', '%n')}
SlurmctldPidFile=${this.path('run', 'slurmctld.pid')}
SlurmdPidFile=${this.path('run', 'slurmd-%n.pid')}
SlurmctldLogFile=${this.path('log', 'slurmctld.log')}
SlurmdLogFile=${this.path('log', 'slurmd-%n.log')}
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
MessageTimeout=2
MinJobAge=86400
${this.nodes.map((node, index) => `NodeName=${node} NodeHostName=${host} NodeAddr=127.0.0.${index + 1} Port=${nodePorts[index]} CPUs=8 RealMemory=500 State=UNKNOWN`).join('\n')}
PartitionName=batch Nodes=${this.nodes.join(',')} Default=YES MaxTime=INFINITE State=UP
`;
  }
}
