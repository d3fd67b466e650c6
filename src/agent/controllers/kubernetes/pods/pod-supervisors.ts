import { AgentFailure, failureOf } from '../../../failures';
import type { OnProgress } from '../../../stages';
import type { CheckpointRequest, CheckpointResult, WorkloadStatus } from '../../../supervisor/control/control-protocol';
import { whileItMoves } from '../../../supervisor/standstill';
import { AgentAnswer } from '../../common/answers/agent-answer';
import { leavingAfterDump, Places, SharedPlaces, type Leave } from '../../common/places';
import type { Access } from '../cluster/access';
import { execIn, type ExecEnd } from '../cluster/exec';
import { isRefusal } from '../cluster/refusals';
import type { SupervisedContainer } from './pod-state';

export interface ContainerCheckpoint extends CheckpointRequest {
  /** Nobody waits for it: it waits behind those that people asked for. */
  readonly isPatient?: boolean;
}

/** How checkpoints of containers are taken. */
export interface ContainerCheckpoints {
  /**
   * Throws `AgentFailure`. A repeated id joins the attempt in progress, or gets its result; so an error after
   * which the API server may answer again is no end.
   */
  checkpoint(
    container: SupervisedContainer,
    request: ContainerCheckpoint,
    onProgress: OnProgress,
  ): Promise<CheckpointResult>;
}

/** As the client of a supervisor: without a line for so long, a checkpoint is given up by its requester. */
const SILENCE_MS = 600_000;
/** Then a checkpoint that still moves gives its place to others, and is joined again later. */
const CONNECTED_FOR_MS = 6 * 3_600_000;
const STATUS_MS = 15_000;
/** Dumps at once, unless somebody chooses another number. */
const DUMPS_AT_ONCE = 32;
/** What one namespace may have of all, so that pods which never end do not keep those of others waiting. */
const OF_ONE = 0.5;
/** For each dump, so many checkpoints may be under way: those behind their dumps hold a connection each. */
const CHECKPOINTS_A_DUMP = 8;
/** Questions must not wait for checkpoints, which take long. */
const QUESTIONS_AT_ONCE = 32;
/** They do nothing but wait. */
const WAITS_AT_ONCE = 256;
const MS = 1_000;
/** How a shell and the runtime say that there is no such program. */
const NO_PROGRAM_CODES = [126, 127];
const NO_PROGRAM = /executable file not found|no such file or directory|permission denied/i;
const NOT_RUNNING =
  /container(?:(?!container).)*(?:not (?:found|running)|stopped|exited)|cannot exec|task(?:(?!task).)*not found|process has finished/i;

interface Options {
  /** Is asked before each command; throws what the command then throws. */
  readonly mayAct?: () => void;
  /** Dumps in the whole cluster. */
  readonly dumpsAtOnce?: number | undefined;
  readonly hungAfterMs?: number;
}

/** Asks the supervisors in containers, by `exec` of `ccp-agent`. */
export class PodSupervisors implements ContainerCheckpoints {
  private readonly dumps: SharedPlaces;
  private readonly checkpoints: SharedPlaces;
  private readonly questions = new Places(QUESTIONS_AT_ONCE);
  private readonly waits = new Places(WAITS_AT_ONCE);

  constructor(
    private readonly access: Access,
    private readonly signal: AbortSignal,
    private readonly options: Options = {},
  ) {
    const { dumpsAtOnce = DUMPS_AT_ONCE } = options;
    const shared = (count: number): SharedPlaces => new SharedPlaces(count, Math.ceil(count * OF_ONE));
    this.dumps = shared(dumpsAtOnce);
    this.checkpoints = shared(dumpsAtOnce * CHECKPOINTS_A_DUMP);
  }

  checkpoint(
    container: SupervisedContainer,
    { id, leaveRunning, staySeconds = 0, isPatient = false }: ContainerCheckpoint,
    onProgress: OnProgress,
  ): Promise<CheckpointResult> {
    const letGo = leaveRunning ? [] : ['--let-go', '--stay', String(staySeconds)];
    const args = ['checkpoint', '--id', id, '--progress', ...letGo] as const;
    const ask = (onLine: OnProgress, over: AbortSignal) =>
      this.ask<CheckpointResult>(container, args, SILENCE_MS, {
        onProgress: onLine,
        signal: AbortSignal.any([this.signal, over]),
      });
    const { namespace } = container;
    const take = (leave: Leave) => whileItMoves(id, leavingAfterDump(leave, onProgress), ask, this.options.hungAfterMs);
    return this.dumps.run(
      namespace,
      (leave) => this.checkpoints.run(namespace, () => take(leave), isPatient),
      isPatient,
    );
  }

  /** Throws `AgentFailure`, with `workload_missing` if nothing was supervised there so far. */
  status(container: SupervisedContainer): Promise<WorkloadStatus> {
    return this.questions.run(() => this.ask<WorkloadStatus>(container, ['status', '--own'], STATUS_MS));
  }

  /** As soon as its workload runs or has ended, and after so long in any case. Throws as `status` does. */
  statusOnceUp(container: SupervisedContainer, seconds: number): Promise<WorkloadStatus> {
    const args = ['status', '--own', '--wait', String(seconds)] as const;
    return this.waits.run(() => this.ask<WorkloadStatus>(container, args, seconds * MS + STATUS_MS));
  }

  /** How many are connected to a port of the pod. */
  async connections(container: SupervisedContainer, port: number): Promise<number> {
    const args = ['status', '--own', '--connections', String(port)] as const;
    const { connections } = await this.questions.run(() =>
      this.ask<WorkloadStatus & { connections: number }>(container, args, STATUS_MS),
    );
    return connections;
  }

  private async ask<T extends CheckpointResult | WorkloadStatus>(
    container: SupervisedContainer,
    [command, ...options]: readonly ['checkpoint' | 'status', ...string[]],
    silenceMs: number,
    { onProgress, signal = this.signal }: { onProgress?: OnProgress; signal?: AbortSignal } = {},
  ): Promise<T> {
    const answer = new AgentAnswer<T>(command, onProgress);
    // A question has no progress, whoever prints some.
    const onLine = (line: string): boolean => answer.take(line) === 'progress' && onProgress !== undefined;
    let end: ExecEnd;
    try {
      this.options.mayAct?.();
      const asked = [...container.program, '--json', command, ...options];
      end = await execIn(this.access, container, {
        command: asked,
        onLine,
        silenceMs,
        withinMs: CONNECTED_FOR_MS,
        signal,
      });
    } catch (error) {
      signal.throwIfAborted();
      throw problemOf(container, error);
    }
    const answered = answer.get();
    if (answered !== undefined) return answered;
    throw unanswered(container, end);
  }
}

function problemOf(container: SupervisedContainer, error: unknown): unknown {
  if (isRefusal(error, 404)) return ended(container);
  if (!(error instanceof AgentFailure)) return error;
  const { message, cause } = failureOf(error);
  if (cause !== 'scheduler_refused') return error;
  if (NO_PROGRAM.test(message)) return withoutProgram(container);
  return NOT_RUNNING.test(message) ? ended(container) : error;
}

function unanswered(container: SupervisedContainer, { exitCode, errors }: ExecEnd): AgentFailure {
  if (NO_PROGRAM_CODES.includes(exitCode)) return withoutProgram(container);
  return new AgentFailure({
    cause: 'scheduler_refused',
    message:
      `The program ${container.program.join(' ')} gave no answer in ${textOf(container)}: ` +
      `${errors || `it printed nothing, and ended with ${exitCode}`}`,
  });
}

const ended = (container: SupervisedContainer): AgentFailure =>
  new AgentFailure({ cause: 'workload_ended', message: `${capital(textOf(container))} does not run any more.` });

const withoutProgram = (container: SupervisedContainer): AgentFailure =>
  new AgentFailure({
    cause: 'workload_missing',
    message: `There is no program ${container.program[0]} in ${textOf(container)}.`,
    remedy:
      'Bring it into the container with an init container, start the command by `ccp-agent run`, and name the ' +
      'program in the annotation ccp-agent/program of the pod if it is not in PATH.',
  });

const textOf = ({ namespace, pod, container }: SupervisedContainer): string =>
  `the container ${container} of the pod ${namespace}/${pod}`;

const capital = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
