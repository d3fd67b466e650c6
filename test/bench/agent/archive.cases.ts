import { randomUUID } from 'node:crypto';
import { rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ControlClient } from '../../../src/agent/supervisor/control/control-client';
import { find } from '../../support/components';
import type { BenchCase } from '../bench';
import { MEMORY_MIB, memoryOf, missingForAgent, shell, Stand } from './stand';

const NAME = 'sent';
/** From the beginning of the dump until the checkpoint is stored. */
const STAGES: readonly string[] = ['freeze', 'dump', 'hash', 'compress', 'upload'];

/**
 * What both take beside the dump: the agent begins while CRIU writes, and what it takes from the dump counts.
 * Only the service syncs what it stores to disk.
 */
export const agentArchive: BenchCase = {
  name: 'agent-archive',
  what: `${MEMORY_MIB} MiB of images with zstd to the object storage of the service, beside criu dump; tar | zstd -T0 -1 to a file`,
  async prepare(bench) {
    const why = missingForAgent() ?? (find('zstd') === undefined ? 'it needs zstd' : undefined);
    if (why !== undefined) return why;
    const stand = await Stand.open(bench, 'agent-archive');
    const { pid } = await stand.holdMemory(NAME, 'service');
    const supervisor = new ControlClient(stand.agent.folder(NAME).path);
    const images = join(stand.directory, 'images');
    const archive = join(stand.directory, 'images.tar.zst');
    let dumpMs = 0;
    let compressed = '';
    let parts = '';
    return {
      sides: [
        {
          name: 'tar | zstd',
          async run() {
            dumpMs = await stand.dump(pid, images);
            const milliseconds = shell(`tar -C ${images} -cf - . | zstd -T0 -1 -q -o ${archive}`);
            compressed = `${(statSync(archive).size / 1e6).toFixed(0)} MB compressed`;
            rmSync(images, { recursive: true });
            rmSync(archive);
            return milliseconds;
          },
        },
        {
          name: 'agent',
          async run() {
            const { stages } = await supervisor.checkpoint({ id: randomUUID(), leaveRunning: true });
            rmSync(join(bench.directory, 'objects/files'), { recursive: true });
            const milliseconds = stages.map(({ name, durationNs }) => [name, durationNs / 1e6] as const);
            parts = milliseconds.map(([name, ms]) => `${name} ${Math.round(ms)}`).join(', ');
            const beside = milliseconds.filter(([name]) => STAGES.includes(name));
            return beside.reduce((sum, [, ms]) => sum + ms, 0) - dumpMs;
          },
        },
      ],
      bounds: [
        {
          of: 'agent',
          against: 'tar | zstd',
          atMost: 1.3,
          row: {
            what: `${MEMORY_MIB} MiB with zstd to the service's object storage, beside dump`,
            against: '`tar \\| zstd -T0 -1` to a file',
          },
        },
      ],
      notes: () => {
        const supervisorPid = stand.agent.supervisorOf(NAME);
        const [now, most] = [memoryOf(supervisorPid, 'VmRSS'), memoryOf(supervisorPid, 'VmHWM')];
        return [
          compressed,
          `stages of the supervisor in the last round, in ms: ${parts}`,
          `the supervisor resident afterwards: ${now.toFixed(0)} MB; at most, while it uploads: ${most.toFixed(0)} MB`,
        ];
      },
      close: () => stand.close(),
    };
  },
};
