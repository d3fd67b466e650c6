import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { AgentFailure, type FailureFacts } from '../../failures';
import { pause } from '../../service/retries';
import type { SlurmJob } from '../../slurm/records';
import { workloadOfJob } from '../../slurm/job-identity';
import { slurmEnvironment, SlurmUnavailable } from '../../slurm/slurm-commands';
import type { OnProgress } from '../../stages';
import {
  hasAttempt,
  type CheckpointRequest,
  type CheckpointResult,
  type WorkloadStatus,
} from '../../supervisor/control/control-protocol';
import { whileItMoves } from '../../supervisor/standstill';
import { AgentAnswer } from '../common/answers/agent-answer';
import { leavingAfterDump, Places, type Leave } from '../common/places';

/** As the client of a supervisor: without a line for so long, a step is given up; the checkpoint goes on. */
const SILENCE_MS = 600_000;
const STATUS_MS = 15_000;
/** For a while after its start, slurmctld creates no steps. */
const CREATED_WITHIN_MS = 60_000;
const AGAIN_MS = 1_000;
const MAX_ERROR_TEXT = 1_000;

/** What srun says of a job that has no node any more. */
const ENDED =
  /has expired|invalid job id|already completing|job(?:(?!job).)*(?:pending|terminat)|requested node(?:(?!requested node).)*not/i;
const ENDED_IN_JOB = /step(?:(?!step).)*(?:aborted|cancelled|killed)|job(?:(?!job).)*cancelled/i;
const UNAVAILABLE = /unable to contact slurm controller|timed out|zero bytes|connection (refused|reset)|communication/i;

const NOT_CREATED = /unable to create step/i;

/** Slurm did not create a step, and may do so in a moment. */
class StepNotCreated extends AgentFailure {}

/** A step ended without an answer: what it asked for may go on. */
class StepLost extends AgentFailure {}

/** Questions, and dumps of checkpoints, at once: a dump takes long, and a question must not wait for it. */
const STEPS_AT_ONCE = 32;
/** Checkpoints under way at once, a process of srun each. Those that are stored keep no dump waiting. */
const CHECKPOINTS_AT_ONCE = 8 * STEPS_AT_ONCE;

/** A job that runs. */
export type StepJob = Pick<SlurmJob, 'jobId' | 'reference' | 'cluster' | 'batchHost'>;

/** Asks the supervisor of a job by a step on the node where the job's script runs. */
export class JobSteps {
  private readonly checkpoints = new Places(CHECKPOINTS_AT_ONCE);
  private readonly dumps = new Places(STEPS_AT_ONCE);
  private readonly questions = new Places(STEPS_AT_ONCE);

  /** @param program what runs `ccp-agent` on a node: the program and its first arguments */
  constructor(
    private readonly program: readonly string[],
    private readonly stateDir: string,
    private readonly signal: AbortSignal,
    private readonly silenceMs = SILENCE_MS,
    private readonly hungAfterMs?: number,
  ) {}

  /**
   * Throws `AgentFailure`. A repeated id joins the attempt in progress, or gets its result. So does this,
   * when it has lost a step, as long as the supervisor has the attempt and it moves.
   */
  checkpoint(job: StepJob, request: CheckpointRequest, onProgress: OnProgress): Promise<CheckpointResult> {
    const follow = (onLine: OnProgress, over: AbortSignal) => this.joined(job, request, onLine, over);
    const take = (leave: Leave) =>
      whileItMoves(request.id, leavingAfterDump(leave, onProgress), follow, this.hungAfterMs);
    return this.checkpoints.run(() => this.dumps.run(take));
  }

  private async joined(
    job: StepJob,
    { id, leaveRunning, staySeconds = 0 }: CheckpointRequest,
    onProgress: OnProgress,
    over: AbortSignal,
  ): Promise<CheckpointResult> {
    const signal = AbortSignal.any([this.signal, over]);
    const letGo = leaveRunning ? [] : ['--let-go', '--stay', String(staySeconds)];
    const args = ['checkpoint', '--id', id, '--progress', ...letGo] as const;
    for (const until = performance.now() + CREATED_WITHIN_MS; ; await pause(AGAIN_MS, signal)) {
      try {
        return await this.ask<CheckpointResult>(job, args, this.silenceMs, { onProgress, signal });
      } catch (error) {
        signal.throwIfAborted();
        const goesOn = error instanceof StepLost && (await this.hasAttempt(job, id));
        const isEarly = error instanceof StepNotCreated && performance.now() <= until;
        if (!goesOn && !isEarly) throw error;
      }
    }
  }

  /**
   * Whether its supervisor has an attempt at a checkpoint, or its end. Throws `SlurmUnavailable` if nobody
   * can say it now.
   */
  async hasAttempt(job: StepJob, id: string): Promise<boolean> {
    const status = await this.statusIfAny(job);
    return status !== undefined && hasAttempt(status, id);
  }

  /** @returns undefined if there is none. Throws `SlurmUnavailable` if nobody can say it now */
  async statusIfAny(job: StepJob): Promise<WorkloadStatus | undefined> {
    try {
      return await this.status(job);
    } catch (error) {
      this.signal.throwIfAborted();
      if (!(error instanceof AgentFailure)) throw error;
      // A step that did not begin, that was lost, or whose supervisor was silent says nothing.
      const isUnknown = error instanceof StepLost || error instanceof StepNotCreated || error.facts.cause === 'busy';
      if (isUnknown) throw new SlurmUnavailable(error.message);
      return undefined;
    }
  }

  /** Throws `AgentFailure`, with `workload_missing` if nothing was supervised there so far. */
  status(job: StepJob): Promise<WorkloadStatus> {
    return this.questions.run(() => this.ask<WorkloadStatus>(job, ['status'], STATUS_MS));
  }

  /** How many are connected to a port of the node of the job. */
  async connections(job: StepJob, port: number): Promise<number> {
    const args = ['status', '--connections', String(port)] as const;
    const { connections } = await this.questions.run(() =>
      this.ask<WorkloadStatus & { connections: number }>(job, args, STATUS_MS),
    );
    return connections;
  }

  private async ask<T extends CheckpointResult | WorkloadStatus>(
    job: StepJob,
    [command, ...options]: readonly ['checkpoint' | 'status', ...string[]],
    silenceMs: number,
    { onProgress, signal = this.signal }: { onProgress?: OnProgress; signal?: AbortSignal } = {},
  ): Promise<T> {
    const { namespace, name } = workloadOfJob(job);
    const step = ['--overlap', `--jobid=${job.jobId}`, '--nodes=1', '--ntasks=1', `--nodelist=${job.batchHost}`];
    const quiet = ['--mem=0', '--mpi=none', '--chdir=/', '--input=none', '--unbuffered', '--quiet'];
    const agent = [...this.program, '--json', '--state-dir', this.stateDir];
    const asked = [command, name, '--namespace', namespace, ...options];
    const child = spawn('srun', [...step, ...quiet, ...agent, ...asked], {
      env: slurmEnvironment(),
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
    let errors = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-MAX_ERROR_TEXT)));
    const ended = once(child, 'close');
    // It may end before somebody waits for it.
    ended.catch(() => undefined);
    const silence = setTimeout(() => child.kill('SIGKILL'), silenceMs);
    const answer = new AgentAnswer<T>(command, onProgress);
    try {
      for await (const line of createInterface({ input: child.stdout, crlfDelay: Infinity })) {
        silence.refresh();
        if (answer.take(line) === 'too long') child.kill('SIGKILL');
      }
      await ended;
    } catch (error) {
      signal.throwIfAborted();
      errors ||= (error as Error).message;
    } finally {
      clearTimeout(silence);
    }
    signal.throwIfAborted();
    const answered = answer.get();
    if (answered === undefined) throw problemOf(job, errors);
    return answered;
  }
}

function problemOf(job: StepJob, errors: string): Error {
  if (UNAVAILABLE.test(errors)) return new SlurmUnavailable(`srun: ${errors.trim()}`);
  if (ENDED.test(errors)) return new AgentFailure(endedFacts(job));
  // Somebody may have ended the step only.
  if (ENDED_IN_JOB.test(errors)) return new StepLost(endedFacts(job));
  const failure = noAnswer(job, errors);
  return NOT_CREATED.test(errors) ? new StepNotCreated(failure) : new StepLost(failure);
}

const endedFacts = ({ reference }: StepJob): FailureFacts => ({
  cause: 'workload_ended',
  message: `The job ${reference} has ended meanwhile.`,
});

const noAnswer = ({ reference, batchHost }: StepJob, errors: string): FailureFacts => ({
  cause: 'scheduler_refused',
  message: `A step of the job ${reference} on ${batchHost} gave no answer: ${errors.trim() || 'it printed nothing'}`,
  remedy: 'Check that ccp-agent is installed there under the path that --node-agent names.',
});
