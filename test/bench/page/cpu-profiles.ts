import type { CpuShare } from './stored-results';

/** A call frame of V8's CPU profiles, with the ids of the functions that it called. */
interface ProfileNode {
  readonly id: number;
  readonly callFrame: { readonly functionName: string; readonly url: string };
}

/** As `Profiler.stop` of the inspector protocol returns it. */
interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  /** Microseconds since the sample before. */
  readonly timeDeltas: readonly number[];
}

interface Answer {
  readonly id?: number;
  readonly result?: { readonly profile?: CpuProfile };
  readonly error?: { readonly message: string };
}

/** A session of the inspector of one process. */
class Inspector {
  private readonly waiting = new Map<number, (answer: Answer) => void>();
  private last = 0;

  private constructor(private readonly socket: WebSocket) {
    socket.addEventListener('message', ({ data }) => {
      const answer = JSON.parse(String(data)) as Answer;
      if (answer.id !== undefined) this.waiting.get(answer.id)?.(answer);
    });
  }

  static async open(url: string): Promise<Inspector> {
    const socket = new WebSocket(url);
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve, { once: true });
      socket.addEventListener('error', () => reject(new Error(`the inspector ${url} does not answer`)), { once: true });
    });
    return new Inspector(socket);
  }

  async call(method: string): Promise<Answer['result']> {
    const id = ++this.last;
    const answer = await new Promise<Answer>((resolve) => {
      this.waiting.set(id, resolve);
      this.socket.send(JSON.stringify({ id, method }));
    });
    if (answer.error) throw new Error(`${method}: ${answer.error.message}`);
    return answer.result;
  }

  close(): void {
    this.socket.close();
  }
}

/** Places of the profile that are no work of the process. */
const IDLE = new Set(['(idle)', '(root)']);
/** Shares below it say little. */
const LEAST_SHARE = 0.02;
const SHOWN = 8;

/** What a function belongs to: a package, a folder of the service, a module of Node, or V8 itself. */
function placeOf({ functionName, url }: ProfileNode['callFrame']): string {
  if (functionName === '(garbage collector)') return 'garbage collection';
  if (functionName === '(program)') return 'native code and system calls';
  const packageName = /node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1];
  if (packageName !== undefined) return packageName;
  const folder = /\/dist\/(\d-[^/]+\/[^/]+)\//.exec(url)?.[1];
  if (folder !== undefined) return `service: ${folder}`;
  if (/\/dist\//.test(url)) return 'service: other';
  // The functions of the driver and of the HTTP server that do the reading and the writing.
  if (url.startsWith('node:'))
    return url
      .replace(/^node:internal\//, 'node:')
      .split('/')
      .slice(0, 2)
      .join('/');
  return functionName === '' ? 'unnamed code' : `${functionName} of V8 and Node`;
}

/** Shares of the busy time of all profiles, the largest first. */
function sharesOf(profiles: readonly CpuProfile[]): CpuShare[] {
  const spent = new Map<string, number>();
  let busy = 0;
  for (const { nodes, samples, timeDeltas } of profiles) {
    const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
    samples.forEach((id, at) => {
      const frame = frames.get(id);
      if (!frame || IDLE.has(frame.functionName)) return;
      const took = timeDeltas[at] ?? 0;
      const place = placeOf(frame);
      busy += took;
      spent.set(place, (spent.get(place) ?? 0) + took);
    });
  }
  return [...spent]
    .map(([place, took]) => ({ place, share: took / busy }))
    .filter(({ share }) => share >= LEAST_SHARE)
    .sort((a, b) => b.share - a.share)
    .slice(0, SHOWN);
}

/**
 * Profiles the processes of the service while some work runs.
 * @param inspectors addresses of their inspectors
 */
export async function profiled(inspectors: readonly string[], work: () => Promise<void>): Promise<CpuShare[]> {
  const sessions = await Promise.all(inspectors.map((url) => Inspector.open(url)));
  try {
    for (const session of sessions) {
      await session.call('Profiler.enable');
      await session.call('Profiler.start');
    }
    await work();
    const stopped = await Promise.all(sessions.map((session) => session.call('Profiler.stop')));
    return sharesOf(stopped.flatMap((result) => result?.profile ?? []));
  } finally {
    for (const session of sessions) session.close();
  }
}
