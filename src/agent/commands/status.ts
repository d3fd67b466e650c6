import { setTimeout as delay } from 'node:timers/promises';
import { AgentFailure } from '../failures';
import { connectionsTo } from '../network/connections';
import { SupervisorSilent } from '../supervisor/control/control-client';
import type { WorkloadStatus } from '../supervisor/control/control-protocol';
import type { WorkloadFolder } from '../supervisor/state/workload-folder';
import { statusOf, workloadFolders } from '../supervisor/state/workloads';
import type { Context } from './context';
import { folderFor, missingWorkload, namespaceOf, ownWorkload } from './names';
import { answer, table } from './output/output';

interface Options {
  readonly namespace?: string;
  readonly connections?: string;
  readonly own?: boolean;
  readonly wait?: string;
}

/** Questions that are open at once. */
const AT_ONCE = 16;
const MAX_PORT = 65_535;
const MAX_WAIT_SECONDS = 3_600;
const LOOK_MS = 20;

export async function status(
  context: Context,
  { namespace, connections, own, wait }: Options,
  [given]: readonly string[],
): Promise<void> {
  const { settings, output } = context;
  const name = given ?? (own ? ownWorkload()?.name : undefined);
  if (own && name === undefined)
    throw new AgentFailure({
      cause: 'invalid_setting',
      message: '--own is for a process in a Slurm job, or in a pod.',
    });
  if (name === undefined) {
    const folders = workloadFolders(settings.stateDir).filter(
      (folder) => namespace === undefined || folder.namespace === namespace,
    );
    const workloads: Listed[] = [];
    for (let first = 0; first < folders.length; first += AT_ONCE) {
      const found = await Promise.all(folders.slice(first, first + AT_ONCE).map(listed));
      workloads.push(...found.filter((workload) => workload !== undefined));
    }
    answer(output, { workloads }, () => list(workloads));
    return;
  }
  const folder = folderFor(settings, namespaceOf(namespace), name);
  const workload = wait === undefined ? await statusOf(folder) : await statusOnceUp(folder, wait);
  if (!workload) throw missingWorkload(folder);
  if (connections === undefined) return answer(output, workload, () => details(workload));
  const port = Number(connections);
  if (!Number.isInteger(port) || port < 1 || port > MAX_PORT)
    throw new AgentFailure({ cause: 'invalid_setting', message: `"${connections}" is not a port.` });
  const count = await connectionsTo(port);
  answer(output, { ...workload, connections: count }, () => [
    ...details(workload),
    ...table([['connections', String(count)]]),
  ]);
}

/** As soon as it runs, or has ended; when the time is over, as it is then. It may not have begun yet. */
async function statusOnceUp(folder: WorkloadFolder, wait: string): Promise<WorkloadStatus | undefined> {
  const seconds = Number(wait);
  if (!(seconds > 0 && seconds <= MAX_WAIT_SECONDS))
    throw new AgentFailure({
      cause: 'invalid_setting',
      message: `"${wait}" is not a time in seconds, of at most ${MAX_WAIT_SECONDS}.`,
    });
  for (const until = performance.now() + seconds * 1_000; ; await delay(LOOK_MS)) {
    // What it records is enough to see whether to ask.
    const recorded = folder.readStatus();
    const isUp = recorded && recorded.phase !== 'starting' && recorded.phase !== 'restoring';
    if (isUp || performance.now() >= until) return statusOf(folder);
  }
}

/** Of several. `silent`: its supervisor is there and does not answer, so this is what it recorded last. */
type Listed = WorkloadStatus & { readonly silent?: true };

/** One that does not answer keeps none of the others from the list. */
async function listed(folder: WorkloadFolder): Promise<Listed | undefined> {
  try {
    return await statusOf(folder);
  } catch (error) {
    const recorded = error instanceof SupervisorSilent ? folder.readStatus() : undefined;
    if (!recorded) throw error;
    return { ...recorded, silent: true };
  }
}

const list = (workloads: readonly Listed[]): string[] =>
  table([
    ['NAMESPACE', 'NAME', 'PHASE', 'PID', 'EXIT', 'CHECKPOINTS', 'COMMAND'],
    ...workloads.map((workload) => [
      workload.namespace,
      workload.name,
      workload.silent ? `${workload.phase} (silent)` : phaseOf(workload),
      String(workload.pid ?? '-'),
      String(workload.exitCode ?? '-'),
      String(workload.checkpoints.filter(({ state }) => state === 'ready').length),
      workload.command.join(' '),
    ]),
  ]);

const phaseOf = ({ phase, checkpoints }: WorkloadStatus): string =>
  phase === 'checkpointing' && checkpoints.some(({ state }) => state === 'hung') ? `${phase} (hung)` : phase;

function networkOf({ network }: WorkloadStatus): string {
  if (network?.mode !== 'isolated') return network?.mode ?? '-';
  const { port, published } = network;
  if (port === null) return 'isolated';
  return `isolated, port ${port}${published ? ` published at ${published.host}:${published.port}` : ''}`;
}

const details = (workload: WorkloadStatus): string[] => [
  ...table([
    ['name', `${workload.namespace}/${workload.name}`],
    ['phase', phaseOf(workload)],
    ['pid', String(workload.pid ?? '-')],
    ['exit code', String(workload.exitCode ?? '-')],
    ['started', workload.startedAt],
    ['network', networkOf(workload)],
    ['restored from', workload.restored?.reference ?? '-'],
    ['command', workload.command.join(' ')],
  ]),
  ...workload.checkpoints.map((checkpoint) => {
    if (checkpoint.state === 'ready') return `checkpoint ${checkpoint.id}: ready, ${checkpoint.result.reference}`;
    if (checkpoint.state === 'hung')
      return `checkpoint ${checkpoint.id}: hung, ${checkpoint.failure.message} ${checkpoint.failure.remedy ?? ''}`.trim();
    if (checkpoint.state === 'failed') return `checkpoint ${checkpoint.id}: failed, ${checkpoint.failure.message}`;
    return `checkpoint ${checkpoint.id}: in progress, ${checkpoint.progress?.stage ?? 'waits'}`;
  }),
];
