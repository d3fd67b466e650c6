import { once } from 'node:events';
import { PassThrough, type Readable } from 'node:stream';
import { Exec } from '@kubernetes/client-node';
import { AgentFailure } from '../../../failures';
import type { Access } from './access';
import { linesOf, TooLong } from './bounded-lines';
import { ApiRefusal, ApiUnreachable } from './refusals';
import { PODS } from './resources';

/** A container of a pod. */
export interface ContainerPlace {
  readonly namespace: string;
  readonly pod: string;
  readonly container: string;
}

export interface ExecWish {
  readonly command: readonly string[];
  readonly stdin?: Readable;
  /** Gets each line of standard output. @returns whether it shows that the command goes on */
  readonly onLine?: (line: string) => boolean;
  /** Without a sign that it goes on for so long, the connection is given up: the command may go on. */
  readonly silenceMs: number;
  /** The same, however many signs there are. */
  readonly withinMs?: number;
  readonly signal: AbortSignal;
}

export interface ExecEnd {
  /** 126 and 127: there is no such program. */
  readonly exitCode: number;
  /** The last lines of standard error. */
  readonly errors: string;
}

const MAX_ERROR_TEXT = 2_000;
/** A status with its checkpoints has some hundred KiB. */
const OUTPUT = { bytes: 8 * 1024 * 1024, lineBytes: 1024 * 1024 };
const CONNECTED_WITHIN_MS = 30_000;

/**
 * Runs a command in a container until it ends. Throws `ApiRefusal` if it was not started, and
 * `ApiUnreachable` if the connection was lost: then it may be under way. More output than any answer has is
 * an `AgentFailure`.
 */
export async function execIn(access: Access, place: ContainerPlace, wish: ExecWish): Promise<ExecEnd> {
  const { namespace, pod, container } = place;
  const { command, stdin, onLine, silenceMs, withinMs, signal } = wish;
  signal.throwIfAborted();
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  let errors = '';
  stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-MAX_ERROR_TEXT)));
  let status: ExecStatus | undefined;
  const streams = [stdout, stderr, stdin ?? null] as const;
  const note = (answer: ExecStatus): void => void (status = answer);
  const exec = new Exec(access.config);
  const connecting = exec.exec(namespace, pod, container, [...command], ...streams, false, note) as Promise<Socket>;
  const socket = await within(connecting, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    // One that connects too late serves nobody.
    connecting.then((late) => late.close()).catch(() => undefined);
    throw refused(place, error);
  });
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.on('error', (error) => (errors ||= error.message));
  const end = (): void => socket.terminate();
  signal.addEventListener('abort', end, { once: true });
  const silence = setTimeout(end, silenceMs);
  const deadline = withinMs === undefined ? undefined : setTimeout(end, withinMs);
  void ended.then(() => [stdout, stderr].forEach((stream) => stream.end()));
  try {
    for await (const line of linesOf(stdout, OUTPUT)) if (onLine?.(line)) silence.refresh();
    await ended;
    if (!stderr.readableEnded) await once(stderr, 'end');
  } catch (error) {
    signal.throwIfAborted();
    throw error instanceof TooLong ? tooLong(place, error) : error;
  } finally {
    clearTimeout(silence);
    clearTimeout(deadline);
    signal.removeEventListener('abort', end);
    end();
  }
  signal.throwIfAborted();
  if (!status) throw new ApiUnreachable(`The connection to ${nameOf(place)} was lost: ${errors.trim() || 'no answer'}`);
  return { exitCode: exitCodeOf(place, status), errors: errors.trim() };
}

const tooLong = (place: ContainerPlace, { message }: TooLong): AgentFailure =>
  new AgentFailure({
    cause: 'incompatible',
    message: `What a command printed in ${nameOf(place)} is no answer of ccp-agent: ${message}`,
  });

/** What is used of a WebSocket. */
interface Socket {
  once(event: 'close', listener: () => void): void;
  on(event: 'error', listener: (error: Error) => void): void;
  close(): void;
  terminate(): void;
}

interface ExecStatus {
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
  readonly details?: { readonly causes?: readonly { readonly reason?: string; readonly message?: string }[] };
}

/** As the remote command protocol says it: in a cause of its status. */
function exitCodeOf(place: ContainerPlace, { status, reason, message = '', details }: ExecStatus): number {
  if (status === 'Success') return 0;
  const code = details?.causes?.find((cause) => cause.reason === 'ExitCode')?.message;
  if (reason === 'NonZeroExitCode' && code !== undefined) return Number(code);
  throw new AgentFailure({
    cause: 'scheduler_refused',
    message: `The container runtime did not run a command in ${nameOf(place)}: ${message.slice(0, MAX_ERROR_TEXT)}`,
  });
}

async function within<T>(connecting: Promise<T>, signal: AbortSignal): Promise<T> {
  const late = AbortSignal.any([signal, AbortSignal.timeout(CONNECTED_WITHIN_MS)]);
  const { promise, reject } = Promise.withResolvers<never>();
  const give = (): void => reject(new Error('It took too long.'));
  late.addEventListener('abort', give, { once: true });
  try {
    return await Promise.race([connecting, promise]);
  } finally {
    late.removeEventListener('abort', give);
  }
}

/** A WebSocket that is refused says the status only. */
function refused(place: ContainerPlace, error: unknown): Error {
  const { message = String(error) } = error as { message?: string };
  const status = Number(/unexpected server response: (\d{3})/i.exec(message)?.[1]);
  if (!(status >= 400) || status >= 502)
    return new ApiUnreachable(`The Kubernetes API server did not connect to ${nameOf(place)}: ${message}`);
  const { namespace, pod: name } = place;
  const asked = { verb: 'create', resource: PODS, place: { namespace, name, subresource: 'exec' } };
  return ApiRefusal.of(asked, status, { message: WHY[status] ?? message });
}

/** 403 in the words by which the API server says that a right is missing. */
const WHY: Readonly<Record<number, string>> = {
  400: 'The container is not running.',
  403: 'This agent cannot create resource "pods/exec", or, up to Kubernetes 1.34, cannot get it.',
  404: 'There is no such pod.',
  500: 'The node of the pod does not answer, or the container is not running.',
};

const nameOf = ({ namespace, pod, container }: ContainerPlace): string =>
  `the container ${container} of the pod ${namespace}/${pod}`;
