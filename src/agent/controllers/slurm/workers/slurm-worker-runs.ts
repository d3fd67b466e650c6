import { randomInt } from 'node:crypto';
import { isIPv6 } from 'node:net';
import { AgentFailure, type FailureFacts } from '../../../failures';
import { flagsOf, SERVICE_STORE, type Settings } from '../../../settings/settings';
import { runSlurm, SlurmUnavailable } from '../../../slurm/slurm-commands';
import { commentOf } from '../../../slurm/worker-mark';
import type { ClusterContext } from '../../common/cluster-context';
import { storeKindOf, storeSetting } from '../../workers/artifacts/artifact-stores';
import { patiently, type Patience } from '../../workers/patience';
import { Receipts } from '../../workers/receipts';
import type { KnownRun, RunId, RunStatus, RunWish, WorkerRuns } from '../../workers/worker-runs';
import type { JobSteps, StepJob } from '../job-steps';
import { optionsFor, scriptOf } from './job-script';
import { WorkerJobs, type WorkerJob } from './worker-jobs';

/** How old a look at the jobs may be: while a worker comes up or ends, and while it serves. */
const HURRIED_MS = 300;
const STEADY_MS = 2_000;
/** Slurm says how a job ended when its processes are gone; a node that is lost never says so. */
const COMPLETING_MS = 5_000;
/** So that the step which asked learns the result before the job ends. */
const ANSWER_SECONDS = 3;
/** Ports that neither the kernel gives to clients nor a well-known service has. */
const [FIRST_PORT, BEHIND_PORTS] = [20_000, 30_000];
/** What distinguishes jobs of workers that have one name after the other. */
const DIGITS = 8;

/** What Slurm has decided: the worker itself did nothing wrong. */
const BY_SLURM = /^(CANCELLED|NODE_FAIL|BOOT_FAIL|PREEMPTED|TIMEOUT|DEADLINE|REVOKED)/;
/** Of those, what whoever owns the node did, or what became of the node: a limit of the job is neither. */
const TAKEN = /^(CANCELLED|NODE_FAIL|BOOT_FAIL|PREEMPTED|REVOKED)/;
const OUT_OF_MEMORY = 'OUT_OF_MEMORY';
/** Its nodes are made ready, which takes minutes where they are started for it. */
const CONFIGURING = 'CONFIGURING';
/** Its processes are asked to end. */
const COMPLETING = 'COMPLETING';
/** Slurm's word for the first look at a job. */
const UNDECIDED = 'None';

/** What Slurm's words mean, for people. */
const REASONS: Readonly<Record<string, string>> = {
  Resources: 'no node has room for it at the moment',
  Priority: 'other jobs come first',
  PartitionConfig: 'no node of its partition has what it asks for',
  Dependency: 'another job of the same worker comes first',
};

export interface SlurmWorkerTools {
  readonly context: Pick<ClusterContext, 'settings' | 'clusterId' | 'directory' | 'signal' | 'log'>;
  readonly jobs: WorkerJobs;
  readonly steps: JobSteps;
  /** What runs `ccp-agent` on a node: the program and its first arguments. */
  readonly program: readonly string[];
}

/**
 * Workers as jobs of Slurm. A job carries the uid of its worker in its comment from its submission on, so it
 * is found again. Two jobs of one worker, which a controller that was killed may have submitted, never run at
 * the same time: they have the same name, and `singleton` lets one of a name run. The younger is cancelled.
 */
export class SlurmWorkerRuns implements WorkerRuns {
  /** Two of its jobs may be on one node. */
  readonly sharesNetwork = true;
  /** Those that were seen to run. */
  private readonly up = new Set<string>();
  /** Since when jobs are about to be gone, by the uid of the worker. */
  private readonly completing = new Map<string, number>();

  private readonly receipts: Receipts;
  private readonly patience: Patience;

  constructor(private readonly tools: SlurmWorkerTools) {
    const { directory, signal } = tools.context;
    this.receipts = new Receipts(directory, 'jobs');
    this.patience = { signal, mayPass: (error) => error instanceof SlurmUnavailable, whom: 'Slurm' };
  }

  start(wish: RunWish): Promise<void> {
    return patiently(this.patience, async () => {
      // It may have been submitted although its number was never received.
      if (!(await this.wasSubmitted(wish))) await this.submit(wish);
    });
  }

  async status(run: KnownRun): Promise<RunStatus | undefined> {
    const { uid } = run;
    const job = (await this.tools.jobs.look(this.up.has(uid) ? STEADY_MS : HURRIED_MS)).workers.get(uid);
    if (!job) return undefined;
    const { said } = job.mark;
    if (job.phase === 'pending' || job.state === CONFIGURING) return { state: 'queued', why: whyItWaits(job) };
    if (this.hasEnded(job)) {
      this.up.delete(uid);
      this.completing.delete(uid);
      return { state: 'ended', failure: failureIn(job), ...(wasTaken(job) && { isAsked: true }) };
    }
    if (said?.phase !== 'running' || said.host === null) return { state: 'starting', endpoint: undefined };
    if (job.phase === 'running') this.up.add(uid);
    const port = run.network === 'host' ? run.port : said.port;
    const host = isIPv6(said.host) ? `[${said.host}]` : said.host;
    return { state: 'running', endpoint: port === null ? undefined : `http://${host}:${port}` };
  }

  async list(): Promise<RunId[]> {
    const { workers, doubles } = await this.tools.jobs.look();
    for (const job of doubles) if (this.isOurs(job)) await this.cancelDouble(job);
    // Slurm forgets jobs after some minutes.
    await this.receipts.forgetOld((uid) => workers.has(uid));
    const own = [...workers.values()].filter((job) => this.isOurs(job));
    return own.map(({ name, mark: { uid } }) => ({ uid, name }));
  }

  async end({ uid }: RunId, isForced: boolean): Promise<void> {
    const job = (await this.tools.jobs.look()).workers.get(uid);
    if (!job || !isLive(job)) return;
    this.up.delete(uid);
    const mayEndItself = !isForced && job.phase === 'running';
    // The supervisor is the batch step. Without this, Slurm gives all processes no longer than KillWait.
    await this.cancel(job, ...(mayEndItself ? ['--batch', '--signal=TERM'] : []));
  }

  checkpoint(run: RunId, wish: { readonly id: string; readonly leaveRunning: boolean }): Promise<void> {
    return patiently(this.patience, async () => {
      const job = await this.running(run);
      await this.tools.steps.checkpoint(job, { ...wish, staySeconds: ANSWER_SECONDS }, () => {});
    });
  }

  /** If that is not known, somebody may be. */
  async isQuiet(run: RunId, endpoint: string): Promise<boolean> {
    const { context, steps } = this.tools;
    try {
      return (await steps.connections(await this.running(run), Number(new URL(endpoint).port))) === 0;
    } catch (error) {
      context.signal.throwIfAborted();
      context.log.info({ err: error, uid: run.uid }, 'the connections of a worker are not known');
      return false;
    }
  }

  /** Which node it will be is not known. There, the supervisor refuses a port on which somebody listens. */
  freePort(): Promise<number> {
    return Promise.resolve(randomInt(FIRST_PORT, BEHIND_PORTS));
  }

  /** Also if Slurm has forgotten the job meanwhile: it is not started a second time. */
  private async wasSubmitted({ uid }: RunId): Promise<boolean> {
    return (await this.tools.jobs.look()).workers.has(uid) || (await this.receipts.has(uid));
  }

  private async submit(wish: RunWish): Promise<void> {
    const { context, jobs } = this.tools;
    const { uid, name, resources } = wish;
    const options = [
      `--job-name=${name}.${uid.slice(0, DIGITS)}`,
      `--comment=${commentOf({ uid, owner: context.clusterId() })}`,
      ...['--dependency=singleton', '--no-requeue', '--parsable', '--nodes=1', '--ntasks=1', '--export=ALL'],
      // Its log is in the state directory of the node.
      ...['--chdir=/', '--output=/dev/null', '--error=/dev/null'],
      ...optionsFor(resources),
    ];
    const answer = await runSlurm('sbatch', options, context.signal, this.scriptFor(wish));
    jobs.forget();
    await this.receipts.keep(uid, { job_id: Number.parseInt(answer, 10) });
  }

  private scriptFor({ uid, command, variables, network, port, reference, store }: RunWish): string {
    const { settings, clusterId } = this.tools.context;
    const own: Settings = { ...settings, store: storeSetting(settings, store) };
    const restoreStore = reference === undefined ? undefined : storeSetting(settings, storeKindOf(reference));
    if ([own.store, restoreStore].includes(SERVICE_STORE) && own.tokenFile === undefined)
      throw new AgentFailure({
        cause: 'invalid_setting',
        message: 'Jobs get no token, which the object storage of the service asks for.',
        remedy: 'Put the token into a file that root may read on each node, and name it with CCP_TOKEN_FILE.',
      });
    return scriptOf([...this.tools.program, ...flagsOf(own)], {
      ...{ uid, command, variables, network, announce: clusterId() },
      ...(network === 'isolated' ? { publish: `0:${port}` } : { port: String(port) }),
      ...(reference !== undefined && { restore: reference, restoreStore }),
    });
  }

  /** How it ended is known when it is no longer completing, which is in a moment as a rule. */
  private hasEnded({ phase, state, mark: { uid, said } }: WorkerJob): boolean {
    if (phase === 'ended') return true;
    if (state !== COMPLETING) return said?.phase === 'ended';
    const since = this.completing.get(uid) ?? performance.now();
    this.completing.set(uid, since);
    this.up.delete(uid);
    return performance.now() - since >= COMPLETING_MS;
  }

  private async running({ uid, name }: RunId): Promise<StepJob> {
    const job = (await this.tools.jobs.look(STEADY_MS)).workers.get(uid);
    const cluster = job?.mark.said?.cluster;
    if (job?.phase !== 'running' || cluster === undefined)
      throw new AgentFailure({
        cause: 'workload_ended',
        message: `The job of the worker ${name} does not run: ${job?.state ?? 'Slurm does not know it'}.`,
      });
    return { jobId: job.jobId, reference: String(job.jobId), batchHost: job.batchHost, cluster };
  }

  private async cancelDouble(job: WorkerJob): Promise<void> {
    this.tools.context.log.warn({ job_id: job.jobId, uid: job.mark.uid }, 'a worker was submitted twice');
    await this.cancel(job);
  }

  private async cancel({ jobId }: WorkerJob, ...options: string[]): Promise<void> {
    const { context, jobs } = this.tools;
    try {
      await runSlurm('scancel', [...options, String(jobId)], context.signal);
    } catch (error) {
      if (!(error instanceof AgentFailure)) throw error;
      // As a rule, it has just ended.
      context.log.info({ err: error, job_id: jobId }, 'the job of a worker was not signalled');
    } finally {
      jobs.forget();
    }
  }

  /** Live, and of this cluster: another agent may have the same Slurm. */
  private isOurs(job: WorkerJob): boolean {
    return isLive(job) && job.mark.owner === this.tools.context.clusterId();
  }
}

const isLive = ({ phase, state }: WorkerJob): boolean => phase !== 'ended' && state !== COMPLETING;

const whyItWaits = ({ jobId, name, reason }: WorkerJob): string => {
  const known = REASONS[reason];
  const why = known === undefined ? reason : `${known} (${reason})`;
  return `The job ${jobId} of the worker ${name} waits in Slurm's queue${reason === UNDECIDED ? '' : `: ${why}`}.`;
};

/** A supervisor that ends by itself writes why. While its epilog runs, Slurm does not say how a job ended. */
const wasTaken = ({ state, mark: { said } }: WorkerJob): boolean =>
  TAKEN.test(state) || (state === COMPLETING && said !== undefined && said.phase !== 'ended');

function failureIn({ jobId, state, batchHost, mark: { said } }: WorkerJob): FailureFacts {
  const where = said ? ` on ${batchHost}` : '';
  if (state === OUT_OF_MEMORY)
    return { cause: 'memory_missing', message: `The job ${jobId}${where} used more memory than it had asked for.` };
  if (BY_SLURM.test(state))
    return { cause: 'scheduler_refused', message: `Slurm ended the job ${jobId}${where}: ${state}.` };
  if (said?.failure) return said.failure;
  // A supervisor that ends says why, whatever it restores. This one was killed.
  const how = said ? 'without a word' : 'before its supervisor began';
  return { cause: 'scheduler_refused', message: `The job ${jobId}${where} ended ${how}: ${state}.` };
}
