import { chmodSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { AgentFailure, failureOf, type FailureFacts } from '../../failures';
import { MAX_STAY_SECONDS, type CheckpointLine, type CheckpointRequest, type WorkloadStatus } from './control-protocol';
import { UUID } from '../../uuid';
import { ControlSocket } from '../state/control-socket';

/** For answers that have begun when the workload has ended. */
const CLOSE_MS = 3_000;
const MAX_BODY_BYTES = 16 * 1024;

/** What the socket's requests do. */
export interface Controls {
  status(): WorkloadStatus;
  checkpoint(request: CheckpointRequest, onLine: (line: CheckpointLine) => void): Promise<CheckpointLine>;
}

class BadRequest extends Error {}

/** Answers on a workload's socket: see control-protocol.ts. */
export class ControlServer {
  private constructor(
    private readonly server: Server,
    private readonly socket: ControlSocket,
  ) {}

  /** Only for who holds the folder's lock. */
  static async listen(folder: string, controls: Controls): Promise<ControlServer> {
    const socket = new ControlSocket(folder);
    socket.removeStale();
    const server = createServer((request, response) => void answer(controls, request, response));
    // No other thread makes files meanwhile; the folder is closed to others as well.
    const mask = process.umask(0o177);
    try {
      server.listen(socket.path);
    } finally {
      process.umask(mask);
    }
    await once(server, 'listening');
    chmodSync(socket.path, 0o600);
    return new ControlServer(server, socket);
  }

  /** Lets answers that have begun end, but waits for nobody who does not ask or read. */
  async close(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeIdleConnections();
    const late = setTimeout(() => this.server.closeAllConnections(), CLOSE_MS);
    await closed;
    clearTimeout(late);
    this.socket.close();
  }
}

async function answer(controls: Controls, request: IncomingMessage, response: ServerResponse): Promise<void> {
  // Who asked may leave at any time; what it asked for continues.
  response.on('error', () => {});
  response.setHeader('connection', 'close');
  try {
    const route = `${request.method} ${request.url}`;
    if (route === 'GET /status') send(response, 200, controls.status());
    else if (route === 'GET /status/brief') send(response, 200, { ...controls.status(), checkpoints: [] });
    else if (route === 'POST /checkpoint') await checkpoint(controls, checkpointRequest(await body(request)), response);
    else send(response, 404, { failure: refusal(`There is no ${route}.`) });
  } catch (error) {
    if (response.headersSent) response.destroy();
    else if (error instanceof BadRequest) send(response, 400, { failure: refusal(error.message) });
    else send(response, error instanceof AgentFailure ? 409 : 500, { failure: failureOf(error) });
  }
}

const refusal = (message: string): FailureFacts => ({ cause: 'invalid_setting', message });

async function checkpoint(controls: Controls, request: CheckpointRequest, response: ServerResponse): Promise<void> {
  const write = (line: CheckpointLine): void => void response.write(`${JSON.stringify(line)}\n`);
  response.setHeader('content-type', 'application/x-ndjson');
  write(await controls.checkpoint(request, write));
  response.end();
}

function send(response: ServerResponse, status: number, document: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' }).end(`${JSON.stringify(document)}\n`);
}

async function body(request: IncomingMessage): Promise<Record<string, unknown>> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_BODY_BYTES) throw new BadRequest(`A request has at most ${MAX_BODY_BYTES} bytes.`);
    chunks.push(chunk);
  }
  let document: unknown;
  try {
    document = JSON.parse(Buffer.concat(chunks).toString('utf8'));
  } catch {
    throw new BadRequest('The request is not JSON.');
  }
  if (typeof document !== 'object' || document === null) throw new BadRequest('The request is not an object.');
  return document as Record<string, unknown>;
}

function checkpointRequest({ id, leaveRunning, staySeconds = 0 }: Record<string, unknown>): CheckpointRequest {
  if (typeof id !== 'string' || !UUID.test(id)) throw new BadRequest('id is not a UUID.');
  if (typeof leaveRunning !== 'boolean') throw new BadRequest('leaveRunning is not a boolean.');
  if (typeof staySeconds !== 'number' || !(staySeconds >= 0 && staySeconds <= MAX_STAY_SECONDS))
    throw new BadRequest(`staySeconds is not a number from 0 to ${MAX_STAY_SECONDS}.`);
  return { id, leaveRunning, staySeconds };
}
