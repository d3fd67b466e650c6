import { AgentFailure } from '../failures';
import { isBlocking } from '../inspection/finding';
import { inspect } from '../inspection/inspect';
import { statusOf } from '../supervisor/state/workloads';
import type { Context } from './context';
import { EXIT } from './output/exit-codes';
import { folderFor, missingWorkload, namespaceOf } from './names';
import { answer } from './output/output';

interface Options {
  readonly namespace?: string;
}

export async function inspectCommand(
  context: Context,
  { namespace }: Options,
  [target]: readonly string[],
): Promise<void> {
  const pid = /^[1-9]\d*$/.test(target!) ? Number(target) : await pidOf(context, namespaceOf(namespace), target!);
  const findings = await inspect(pid);
  const possible = !findings.some(isBlocking);
  answer(context.output, { pid, possible, findings }, () => [
    ...findings.flatMap(({ severity, cause, message, remedy }) => [
      `${severity}: ${message} (${cause})`,
      `  ${remedy}`,
    ]),
    possible
      ? `Nothing is in the way of a checkpoint of the process ${pid}.`
      : `The process ${pid} cannot be checkpointed as it is.`,
  ]);
  if (!possible) context.exit(EXIT.refused);
}

async function pidOf({ settings }: Context, namespace: string, name: string): Promise<number> {
  const folder = folderFor(settings, namespace, name);
  const workload = await statusOf(folder);
  if (!workload) throw missingWorkload(folder);
  if (workload.pid === null)
    throw new AgentFailure({ cause: 'workload_ended', message: `The workload ${name} does not run.` });
  return workload.pid;
}
