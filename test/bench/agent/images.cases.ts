import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Manifest } from '../../../src/agent/store/manifest';
import { isAlive } from '../../../src/agent/processes/processes';
import type { BenchCase } from '../bench';
import { kill, MEMORY_MIB, missingForAgent, Stand, until } from './stand';

const NAME = 'memory';

/** Milliseconds for the way through the service, and for what CRIU does not do. */
const FREE_MS = 60;
const AT_MOST = 1.25;
/** A restore among others that are not at the same time. */
const PREPARED_MS = 1_500;

export const agentCheckpoint: BenchCase = {
  name: 'agent-checkpoint',
  what: `a checkpoint of ${MEMORY_MIB} MiB by the API, in a local directory, without compression; criu dump alone`,
  async prepare(bench) {
    const why = missingForAgent();
    if (why !== undefined) return why;
    const stand = await Stand.open(bench, 'agent-checkpoint');
    const { pid, podId } = await stand.holdMemory(NAME);
    const images = join(stand.directory, 'images');
    let stages = '';
    return {
      sides: [
        {
          name: 'criu dump',
          async run() {
            const milliseconds = await stand.dump(pid, images);
            rmSync(images, { recursive: true });
            return milliseconds;
          },
        },
        {
          name: 'agent',
          async run() {
            const { milliseconds } = await stand.checkpoint(NAME, podId);
            const result = await last(stand);
            rmSync(result.reference, { recursive: true });
            stages = result.stages.map(({ name, durationNs }) => `${name} ${Math.round(durationNs / 1e6)}`).join(', ');
            return milliseconds;
          },
        },
      ],
      bounds: [
        {
          of: 'agent',
          against: 'criu dump',
          free: FREE_MS,
          atMost: AT_MOST,
          row: { what: `checkpoint of ${MEMORY_MIB} MiB, from the request to ready`, against: '`criu dump`' },
        },
      ],
      notes: () => [`stages of the supervisor in the last round, in ms: ${stages}`],
      close: () => stand.close(),
    };
  },
};

export const agentRestore: BenchCase = {
  name: 'agent-restore',
  what: `a restore of ${MEMORY_MIB} MiB by the API, from the request until the process runs; criu restore alone`,
  async prepare(bench) {
    const why = missingForAgent();
    if (why !== undefined) return why;
    const stand = await Stand.open(bench, 'agent-restore');
    const { podId } = await stand.holdMemory(NAME);
    const { actionId } = await stand.checkpoint(NAME, podId);
    const { reference } = await last(stand);
    const { workload } = JSON.parse(readFileSync(join(reference, 'manifest.json'), 'utf8')) as Manifest;
    let stages = '';
    return {
      sides: [
        {
          name: 'criu restore',
          async run() {
            const { pid, milliseconds } = await stand.restore(join(reference, 'images'), workload.log.path.slice(1));
            kill(pid);
            await until(() => !isAlive(pid));
            return milliseconds;
          },
        },
        {
          name: 'agent',
          async run(round) {
            const copy = `copy-${round}`;
            const folder = stand.agent.folder(copy);
            const began = performance.now();
            const wish = { action_id: actionId, reason: 'manual', overrides: { pod_name: copy } };
            const restoring = await stand.ask('/v1/restore/pod', wish);
            await until(() => folder.readStatus()?.phase === 'running', 1);
            const milliseconds = performance.now() - began;
            await stand.done(restoring);
            const { restored } = (await stand.agent.status(copy))!;
            stages = (restored?.stages ?? [])
              .map(({ name, durationNs }) => `${name} ${Math.round(durationNs / 1e6)}`)
              .join(', ');
            await stand.agent.kill(copy);
            // The host agent prepares the next restore, which would take a processor from CRIU alone.
            await sleep(PREPARED_MS);
            return milliseconds;
          },
        },
      ],
      bounds: [
        {
          of: 'agent',
          against: 'criu restore',
          free: FREE_MS,
          atMost: AT_MOST,
          row: { what: `restore of ${MEMORY_MIB} MiB, from the request to running`, against: '`criu restore`' },
        },
      ],
      notes: () => [`stages of the supervisor in the last round, in ms: ${stages}`],
      close: () => stand.close(),
    };
  },
};

/** The newest checkpoint of the process. */
async function last(stand: Stand) {
  const newest = (await stand.agent.status(NAME))!.checkpoints.at(-1);
  if (newest?.state !== 'ready') throw new Error('there is no checkpoint');
  return newest.result;
}
