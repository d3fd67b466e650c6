import pino from 'pino';
import { DrainedNodes } from './drained-nodes';
import type { SlurmCluster } from './slurm-cluster';

const UNTIL = '2026-11-23T05:00:00.000Z';
const OURS = { name: 'n1', state: ['IDLE', 'DRAIN'], reason: `ccp-agent: maintenance until ${UNTIL}` };
/** As 22.05 prints it. */
const OLD = { name: 'n2', state: 'idle', state_flags: ['DRAIN'], reason: `ccp-agent: maintenance until ${UNTIL}` };
const OTHERS = { name: 'n3', state: ['IDLE', 'DRAIN'], reason: 'bad disk' };
const FREE = { name: 'n4', state: ['IDLE'], reason: '' };
const RESUMED = { ...FREE, name: 'n5', reason: OURS.reason };

describe('nodes in a maintenance window', () => {
  let changes: string[];
  let nodes: DrainedNodes;
  let looks: number;

  beforeEach(() => {
    [changes, looks] = [[], 0];
    const cluster = {
      nodes: () => Promise.resolve((looks++, [OURS, OLD, OTHERS, FREE, RESUMED])),
      updateNode: (node: string, ...words: string[]) => {
        changes.push(`${node} ${words.join(' ')}`);
        return Promise.resolve('');
      },
    } as unknown as SlurmCluster;
    nodes = new DrainedNodes(cluster, pino({ level: 'silent' }), () => {});
  });

  it('are drained, with the end of the window in the reason', async () => {
    await nodes.drain('n4', UNTIL);
    expect(changes).toEqual([`n4 State=DRAIN Reason=ccp-agent: maintenance until ${UNTIL}`]);
  });

  it('are looked at and drained once for all jobs that move at the same time', async () => {
    await Promise.all(Array.from({ length: 1_000 }, () => nodes.drain('n4', UNTIL)));
    expect([looks, changes.length]).toEqual([1, 1]);
    await nodes.drain('n4', UNTIL);
    expect([looks, changes.length]).toEqual([2, 2]);
  });

  it('stay as they are if they are drained long enough, or by somebody else', async () => {
    for (const node of ['n1', 'n2', 'n3']) await nodes.drain(node, UNTIL);
    expect(changes).toEqual([]);
  });

  it('are drained for the longer one of two windows', async () => {
    await nodes.drain('n1', '2026-11-23T06:00:00.000Z');
    expect(changes).toEqual(['n1 State=DRAIN Reason=ccp-agent: maintenance until 2026-11-23T06:00:00.000Z']);
  });

  it('are resumed behind the window, and only those that this agent drained', async () => {
    const all = await nodes['cluster'].nodes();
    await nodes.resumeDue(all, '2026-11-23T04:59:59.000Z');
    expect(changes).toEqual([]);
    await nodes.resumeDue(all, '2026-11-23T05:00:01.000Z');
    expect(changes).toEqual(['n1 State=RESUME', 'n2 State=RESUME']);
  });
});
