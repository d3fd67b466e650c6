import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { percentile } from '../support/figures';

/** What a second client sees of the service during an attack. */
interface ProbeResult {
  /** Milliseconds of each request, in the order of sending. */
  readonly milliseconds: readonly number[];
  readonly p99: number;
  readonly max: number;
  /** What it received instead of status 200. */
  readonly failures: readonly string[];
}

/** The input of the probe process. */
export interface Probe {
  readonly url: string;
  /** Milliseconds between a reply and the next request. */
  readonly pauseMs: number;
  /** Whose requests need one. */
  readonly bearer?: string | undefined;
}

/** The output of the probe process. */
export type ProbeReport = Pick<ProbeResult, 'milliseconds' | 'failures'>;

/**
 * Requests `/livez`, or what `path` names, over one kept connection, again and again until `work` has ended.
 * It uses a separate process: that of the test is busy with the attack, and would measure its own delays.
 */
export async function probeDuring<T>(
  url: string,
  work: () => Promise<T>,
  { pauseMs = 5, path = '/livez', bearer }: { pauseMs?: number; path?: string; bearer?: string } = {},
): Promise<{ result: T; probe: ProbeResult }> {
  const child = spawn(process.execPath, ['--import', 'tsx', join(__dirname, 'probe-process.ts')], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const output = child.stdout.setEncoding('utf8')[Symbol.asyncIterator]();
  child.stdin.write(`${JSON.stringify({ url: url + path, pauseMs, bearer } satisfies Probe)}\n`);
  // Its first line: it has received a reply, and continues.
  await output.next();
  let result: T;
  try {
    result = await work();
  } finally {
    child.stdin.end();
  }
  let text = '';
  for await (const piece of { [Symbol.asyncIterator]: () => output }) text += String(piece);
  const { milliseconds, failures } = JSON.parse(text) as ProbeReport;
  return {
    result,
    probe: { milliseconds, failures, p99: percentile(milliseconds, 0.99), max: Math.max(...milliseconds) },
  };
}
