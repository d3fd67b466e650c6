/**
 * Reads a `Probe` from its first line of input, sends requests until the input ends, and then prints a
 * `ProbeReport`.
 */
import http from 'node:http';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Probe, ProbeReport } from './probe';

const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

/** @returns whether the status was 200 */
const ask = ({ url, bearer }: Probe): Promise<boolean> =>
  new Promise((resolve) => {
    const headers = bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
    const request = http.get(url, { agent, headers }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode === 200));
    });
    request.once('error', () => resolve(false));
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
  let failures = 0;
  while (!over) {
    const began = performance.now();
    if (!(await ask(probe))) failures += 1;
    milliseconds.push(performance.now() - began);
    await sleep(probe.pauseMs);
  }
  const report: ProbeReport = { milliseconds, failures };
  process.stdout.write(JSON.stringify(report), () => process.exit(0));
}

void main();
