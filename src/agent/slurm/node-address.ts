import { lookup } from 'node:dns/promises';
import { AgentFailure } from '../failures';
import { fieldsOf } from './records';
import { runSlurmPatiently } from './slurm-commands';

/** The IP address at which Slurm reaches the node of this process: NodeAddr. */
export async function nodeAddress({ SLURMD_NODENAME: node }: NodeJS.ProcessEnv = process.env): Promise<string> {
  if (!node) throw new AgentFailure({ cause: 'invalid_setting', message: 'This process runs in no job of Slurm.' });
  const [fields] = fieldsOf(await runSlurmPatiently('scontrol', ['show', 'node', node, '-o']));
  const name = fields?.get('NodeAddr') ?? node;
  try {
    return (await lookup(name)).address;
  } catch (error) {
    throw new AgentFailure(
      {
        cause: 'network_unavailable',
        message: `The address ${name} of the node ${node} is not known there: ${(error as Error).message}.`,
        remedy: 'Give the node a NodeAddr in slurm.conf that is an IP address, or a name that each node can look up.',
      },
      { cause: error },
    );
  }
}
