import type { StandbyOrder } from '../../../supervisor/standby';
import type { WorkerResources } from '../../workers/worker-runs';

const END = 'CCP_AGENT_ORDER';
/** The nodes do not have the settings file of this machine; what they need of it is on the command line. */
const OF_THIS_MACHINE = 'CCP_CONFIG';

/**
 * The batch script of a worker. What only the worker may know, its variables above all, is on the standard
 * input of the supervisor: command lines can be seen by everybody, batch scripts by operators of Slurm only.
 * @param program what runs `ccp-agent` on a node, with its settings
 */
export const scriptOf = (program: readonly string[], order: StandbyOrder): string =>
  [
    '#!/bin/sh',
    `unset ${OF_THIS_MACHINE}`,
    `exec ${[...program, 'run', '--standby'].map(quoted).join(' ')} <<'${END}'`,
    // One line that begins with a brace, so it neither ends the text nor is an option of sbatch.
    JSON.stringify(order),
    END,
    '',
  ].join('\n');

const quoted = (word: string): string => `'${word.replaceAll("'", String.raw`'\''`)}'`;

export const optionsFor = ({ cpus, memoryMib, gpus }: WorkerResources): string[] => [
  ...(cpus === undefined ? [] : [`--cpus-per-task=${cpus}`]),
  ...(memoryMib === undefined ? [] : [`--mem=${memoryMib}M`]),
  ...(gpus === undefined ? [] : [`--gres=gpu:${gpus}`]),
];
