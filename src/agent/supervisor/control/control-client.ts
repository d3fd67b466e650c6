import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { AgentFailure, type FailureFacts } from '../../failures';
import type { OnProgress } from '../../stages';
import type { CheckpointLine, CheckpointRequest, CheckpointResult, WorkloadStatus } from './control-protocol';
import { ControlSocket } from '../state/control-socket';

const ANSWER_MS = 10_000;
/** Without a line for so long, a checkpoint is given up by its requester; the supervisor continues it. */
const SILENCE_MS = 600_000;
const MAX_ANSWER_BYTES = 4 * 1024 * 1024;

const NOBODY: readonly unknown[] = ['ENOENT', 'ECONNREFUSED', 'ECONNRESET', 'EPIPE'];

/** Asks the supervisor of one workload, by the socket in its folder. */
export class ControlClient {
  /** @param folder absolute path of the workload's folder */
  constructor(private readonly folder: string) {}

  /** @param brief without its checkpoints. @returns undefined if no supervisor answers */
  async status(brief = false): Promise<WorkloadStatus | undefined> {
    try {
      return await this.ask(brief ? '/status/brief' : '/status');
    } catch (error) {
      if (NOBODY.includes((error as NodeJS.ErrnoException).code)) return undefined;
      throw error;
    }
  }

  /** Takes a checkpoint, or joins the one with this id. Throws `AgentFailure`. */
  async checkpoint(wish: CheckpointRequest, onProgress: OnProgress = () => {}): Promise<CheckpointResult> {
    const response = await this.send('POST', '/checkpoint', wish, SILENCE_MS).catch(toEnded);
    if (response.statusCode !== 200) throw new AgentFailure(failureIn(await bodyOf(response)));
    try {
      for await (const text of createInterface({ input: response, crlfDelay: Infinity })) {
        const line = JSON.parse(text) as CheckpointLine;
        if (line.progress) onProgress(line.progress);
        if (line.failure) throw new AgentFailure(line.failure);
        if (line.result) return line.result;
      }
    } catch (error) {
      if (error instanceof AgentFailure) throw error;
      throw endedMeanwhile(error);
    }
    throw endedMeanwhile();
  }

  private async ask(path: string): Promise<WorkloadStatus> {
    const response = await this.send('GET', path, undefined, ANSWER_MS);
    const answer = await bodyOf(response);
    if (response.statusCode !== 200) throw new AgentFailure(failureIn(answer));
    return answer as WorkloadStatus;
  }

  private async send(method: string, path: string, document: unknown, timeout: number): Promise<IncomingMessage> {
    const socket = new ControlSocket(this.folder);
    try {
      const sent = request({ socketPath: socket.path, method, path, agent: false, timeout });
      sent.on('timeout', () => sent.destroy(new Error(`The supervisor is silent for ${timeout / 1000} seconds.`)));
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
