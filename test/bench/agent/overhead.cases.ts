import { spawnSync } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchCase } from '../bench';
import { memoryOf, missingForAgent, Stand, until } from './stand';

const COMPUTE = join(__dirname, 'compute.py');
const NAME = 'computes';
const HOLDS = 'holds';
/** As a supervisor that has nothing to do for a moment. */
const SETTLED_MS = 1_000;

export const agentOverhead: BenchCase = {
  name: 'agent-overhead',
  what: 'a process that computes for two seconds, alone and supervised; and the memory of a supervisor',
  async prepare(bench) {
    const why = missingForAgent();
    if (why !== undefined) return why;
    const stand = await Stand.open(bench, 'agent-overhead');
    await stand.holdMemory(HOLDS);
    const pid = stand.agent.supervisorOf(HOLDS);
    await sleep(SETTLED_MS);
    const atStart = memoryOf(pid, 'VmRSS');
    return {
      sides: [
        {
          name: 'alone',
          run() {
            const { stdout, stderr } = spawnSync('python3', [COMPUTE], { encoding: 'utf8' });
            if (!(Number(stdout) > 0)) throw new Error(stderr);
            return Promise.resolve(Number(stdout));
          },
        },
        {
          name: 'supervised',
          async run() {
            await stand.agent.run(NAME, ['python3', COMPUTE]);
            const { log } = stand.agent.folder(NAME);
            await until(() => /^[\d.]+\n/.test(readFileSync(log, 'utf8')), 20);
            return Number(readFileSync(log, 'utf8'));
          },
        },
        {
          name: 'supervisor',
          unit: 'MB',
          async run() {
            await stand.checkpoint(HOLDS, await stand.podOf(HOLDS));
            for (const one of (await stand.agent.status(HOLDS))!.checkpoints)
              if (one.state === 'ready') rmSync(one.result.reference, { recursive: true, force: true });
            await sleep(SETTLED_MS);
            return { resident: memoryOf(pid, 'VmRSS'), 'its own': memoryOf(pid, 'RssAnon') };
          },
        },
      ],
      bounds: [
        {
          of: 'supervised',
          against: 'alone',
          atMost: 1.01,
          row: { what: 'process that computes, under a supervisor', against: 'the process alone' },
        },
        {
          of: 'supervisor resident',
          atMost: 70,
          row: { what: 'resident memory of a supervisor, after checkpoints', against: '-' },
        },
      ],
      notes: () => [
        `resident before the first checkpoint: ${atStart.toFixed(0)} MB; at most, for a moment: ${memoryOf(pid, 'VmHWM').toFixed(0)} MB`,
      ],
      close: () => stand.close(),
    };
  },
};
