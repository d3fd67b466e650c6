import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentFailure, type FailureFacts } from '../../failures';
import type { OnProgress } from '../../stages';
import {
  hasAttempt,
  type CheckpointLine,
  type CheckpointRequest,
  type CheckpointResult,
  type WorkloadStatus,
} from './control-protocol';
import { ControlSocket } from '../state/control-socket';
import { whileItMoves } from '../standstill';

const ANSWER_MS = 10_000;
/** Without a line for so long, the connection is given up; the supervisor continues the checkpoint. */
const SILENCE_MS = 600_000;
const JOINED_AGAIN_MS = 1_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const NOBODY: readonly unknown[] = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/** The supervisor is there and does not answer, as while it waits for the disk: it may answer later. */
export class SupervisorSilent extends AgentFailure {
  constructor(message: string, options?: ErrorOptions) {
    super({ cause: 'busy', message, remedy: 'Ask again later. What it has begun goes on.' }, options);
  }
}

/** Asks the supervisor of one workload, by the socket in its folder. */
export class ControlClient {
  /** @param folder absolute path of the workload's folder */
  constructor(
    private readonly folder: string,
    private readonly silenceMs = SILENCE_MS,
    private readonly hungAfterMs?: number,
  ) {}

  /** @param brief without its checkpoints. @returns undefined if no supervisor answers */
  async status(brief = false): Promise<WorkloadStatus | undefined> {
    try {
      return await this.ask(brief ? '/status/brief' : '/status');
    } catch (error) {
      if (NOBODY.includes((error as NodeJS.ErrnoException).code)) return undefined;
      throw error;
    }
  }

  /**
   * Takes a checkpoint, or joins the one with this id, also after a connection was lost, for as long as it
   * moves. Throws `AgentFailure`, of which `SupervisorSilent` is no end.
   */
  checkpoint(wish: CheckpointRequest, onProgress: OnProgress = () => {}): Promise<CheckpointResult> {
    const follow = (onLine: OnProgress, signal: AbortSignal) => this.joined(wish, onLine, signal);
    return whileItMoves(wish.id, onProgress, follow, this.hungAfterMs);
  }

  private async joined(
    wish: CheckpointRequest,
    onProgress: OnProgress,
    signal: AbortSignal,
  ): Promise<CheckpointResult> {
    for (; ; await delay(JOINED_AGAIN_MS, undefined, { signal })) {
      try {
        return await this.follow(wish, onProgress, signal);
      } catch (error) {
        signal.throwIfAborted();
        if (error instanceof AgentFailure && !(error instanceof SupervisorSilent)) throw error;
        const status = await this.status();
        if (!status || !hasAttempt(status, wish.id)) throw endedMeanwhile(error);
      }
    }
  }

  private async follow(
    wish: CheckpointRequest,
    onProgress: OnProgress,
    signal: AbortSignal,
  ): Promise<CheckpointResult> {
    const response = await this.send('POST', '/checkpoint', wish, this.silenceMs, signal).catch(toEnded);
    if (response.statusCode !== 200) throw new AgentFailure(failureIn(await bodyOf(response)));
    for await (const text of createInterface({ input: response, crlfDelay: Infinity })) {
      const line = JSON.parse(text) as CheckpointLine;
      if (line.progress) onProgress(line.progress);
      if (line.failure) throw new AgentFailure(line.failure);
      if (line.result) return line.result;
    }
    throw new Error('The connection to the supervisor was lost.');
  }

  private async ask(path: string): Promise<WorkloadStatus> {
    const response = await this.send('GET', path, undefined, ANSWER_MS);
    const answer = await bodyOf(response);
    if (response.statusCode !== 200) throw new AgentFailure(failureIn(answer));
    return answer as WorkloadStatus;
  }

  private async send(
    method: string,
    path: string,
    document: unknown,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    const socket = new ControlSocket(this.folder);
    try {
      const sent = request({ socketPath: socket.path, method, path, agent: false, timeout, signal });
      // One that comes behind the response also ends that; nobody else listens for it here.
      sent.on('error', () => {});
      const text = `The supervisor is silent for ${timeout / 1000} seconds.`;
      sent.on('timeout', () => sent.destroy(new SupervisorSilent(text)));
      sent.end(document === undefined ? undefined : JSON.stringify(document));
      const [response] = (await once(sent, 'response')) as [IncomingMessage];
      return response;
    } finally {
      socket.close();
    }
  }
}

async function bodyOf(response: IncomingMessage): Promise<unknown> {
  let text = '';
  response.setEncoding('utf8');
  for await (const chunk of response) {
    text += String(chunk);
    if (text.length > MAX_ANSWER_BYTES) throw new Error('The answer of the supervisor is too long.');
  }
  return JSON.parse(text);
}

const failureIn = (answer: unknown): FailureFacts => (answer as { failure: FailureFacts }).failure;

function toEnded(error: unknown): never {
  throw NOBODY.includes((error as NodeJS.ErrnoException).code)
    ? new AgentFailure({ cause: 'workload_ended', message: 'The workload does not run.' }, { cause: error })
    : (error as Error);
}

const endedMeanwhile = (cause?: unknown): AgentFailure =>
  new AgentFailure({ cause: 'workload_ended', message: 'The supervisor ended before it answered.' }, { cause });
