import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { BenchCase } from '../bench';
import { missingForAgent, Stand, until } from './stand';

const PROCESSES = 200;
/** Supervisors that start at once, and requests that are sent at once. */
const AT_ONCE = 8;

export const agentMany: BenchCase = {
  name: 'agent-many',
  what: `checkpoints of ${PROCESSES} supervised processes, all requested at once; criu dump of one after the other`,
  rounds: 1,
  async prepare(bench) {
    const why = missingForAgent();
    if (why !== undefined) return why;
    const stand = await Stand.open(bench, 'agent-many');
    const names = Array.from({ length: PROCESSES }, (_, index) => `one-${index}`);
    const pids = new Map<string, number>();
    await each(names, async (name) => {
      const { pid } = await stand.agent.run(name, ['sleep', '3600']);
      pids.set(name, pid!);
    });
    const pods: string[] = [];
    for (const name of names) pods.push(await stand.podOf(name));
    const images = join(stand.directory, 'images');
    const statuses = async (actions: readonly string[]) => {
      const { rows } = await bench.db.query<{ status: string; count: number }>(
        'select status, count(*)::int as count from actions where id = any($1) group by status',
        [actions],
      );
      return Object.fromEntries(rows.map(({ status, count }) => [status, count]));
    };
    const reasonOf = async (actions: readonly string[]) => {
      const { rows } = await bench.db.query<{ error: string }>(
        'select error from actions where id = any($1) and error is not null limit 1',
        [actions],
      );
      return rows[0]?.error;
    };
    return {
      sides: [
        {
          name: 'criu dump',
          async run() {
            let milliseconds = 0;
            for (const name of names) {
              milliseconds += await stand.dump(pids.get(name)!, images);
              rmSync(images, { recursive: true });
            }
            return milliseconds;
          },
        },
        {
          name: 'agent',
          async run() {
            const began = performance.now();
            const actions: string[] = [];
            await each(pods, async (podId) => {
              actions.push(await stand.ask('/v1/checkpoint/pod', { pod_id: podId }));
            });
            await until(async () => {
              const { ready = 0, error = 0 } = await statuses(actions);
              if (error > 0) throw new Error(`${error} of the checkpoints failed: ${await reasonOf(actions)}`);
              return ready === PROCESSES;
            }, 50);
            return performance.now() - began;
          },
        },
      ],
      bounds: [
        {
          of: 'agent',
          against: 'criu dump',
          atMost: 0.7,
          row: {
            what: `checkpoints of ${PROCESSES} processes that are requested at once`,
            against: '`criu dump` of one after the other',
          },
        },
      ],
      close: () => stand.close(),
    };
  },
};

async function each<T>(all: readonly T[], work: (one: T) => Promise<void>): Promise<void> {
  let next = 0;
  const lane = async () => {
    while (next < all.length) await work(all[next++]!);
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
