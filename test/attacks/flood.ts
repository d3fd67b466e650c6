import { spawn, spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Requests that are sent in turn, over kept connections. */
export interface Stream {
  /** As they go over the wire. */
  readonly requests: readonly string[];
  readonly connections: number;
  /**
   * Requests per second, answered or not. Without it, every connection sends its next request after the
   * reply.
   */
  readonly rate?: number;
}

export interface Flood {
  readonly url: string;
  readonly milliseconds: number;
  readonly streams: Readonly<Record<string, Stream>>;
}

/** In milliseconds. */
export interface Durations {
  readonly p50: number;
  readonly p90: number;
  readonly p99: number;
  readonly max: number;
}

export interface StreamResult {
  readonly sent: number;
  /** Due but not sent, because every connection waited for a reply. */
  readonly unsent: number;
  readonly statuses: Readonly<Record<string, number>>;
  /** Successes within a second. */
  readonly usefulPerSecond: number;
  readonly served: Durations;
  /** Replies with status 503. */
  readonly refused: Durations;
  /** The same of requests that were sent after the first second, when all connections sent at once. */
  readonly servedLater: Durations;
  readonly refusedLater: Durations;
}

export interface FloodResult {
  /** Share of one core that the sender used. */
  readonly busy: number;
  readonly streams: Readonly<Record<string, StreamResult>>;
}

/** Two cores: the service and its database share one, so that the sender cannot take their time. */
const SERVICE_CORE = '0';
const SENDER_CORE = '1';

/** @returns whether processes can be bound to a core here */
const canPin = spawnSync('taskset', ['--version']).status === 0;

/** Binds a process, its threads and its later children to the core of the service. */
export function pinToServiceCore(pid: number): void {
  if (canPin) spawnSync('taskset', ['-a', '-p', '-c', SERVICE_CORE, String(pid)]);
}

/** Sends the flood from a separate process, and resolves at its end. */
export async function flood(work: Flood): Promise<FloodResult> {
  const command = [process.execPath, '--import', 'tsx', join(__dirname, 'flood-process.ts')];
  const [program = '', ...args] = canPin ? ['taskset', '-c', SENDER_CORE, ...command] : command;
  const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify(work));
  let output = '';
  for await (const piece of child.stdout) output += String(piece);
  return JSON.parse(output) as FloodResult;
}

/** A request as it goes over the wire. */
export function wire(path: string, token: string | undefined, body?: object): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const lines = [
    `${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1`,
    'host: flood',
    ...(token === undefined ? [] : [`authorization: Bearer ${token}`]),
    ...(body === undefined ? [] : ['content-type: application/json', `content-length: ${Buffer.byteLength(text)}`]),
  ];
  return `${lines.join('\r\n')}\r\n\r\n${text}`;
}
