/**
 * Reads a `Probe` from its first line of input, sends requests until the input ends, and then prints a
 * `ProbeReport`.
 */
import http from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Probe, ProbeReport } from './probe';

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

/** @returns what it received instead of status 200, or nothing */
const ask = ({ url, bearer }: Probe): Promise<string | undefined> =>
  new Promise((resolve) => {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    const request = http.get(url, { agent, headers }, (response) => {
      const { statusCode } = response;
      let body = '';
      response
        .setEncoding('utf8')
        .on('data', (piece: string) => (body += piece))
        .once('end', () => resolve(statusCode === 200 ? undefined : `status ${statusCode} ${body.slice(0, 300)}`));
    });
    request.once('error', ({ message }) => resolve(message));
  });

async function main(): Promise<void> {
  const lines = createInterface({ input: process.stdin });
  const first = await new Promise<string>((resolve) => lines.once('line', resolve));
  const probe = JSON.parse(first) as Probe;
  let over = false;
  lines.once('close', () => (over = true));
  // Code is compiled at its first run.
  for (let n = 0; n < 20; n++) await ask(probe);
  process.stdout.write('started\n');

  const milliseconds: number[] = [];
  const failures: string[] = [];
  while (!over) {
    const began = performance.now();
    const failure = await ask(probe);
    if (failure !== undefined) failures.push(failure);
    milliseconds.push(performance.now() - began);
    await sleep(probe.pauseMs);
  }
  const report: ProbeReport = { milliseconds, failures };
  process.stdout.write(JSON.stringify(report), () => process.exit(0));
}

void main();
