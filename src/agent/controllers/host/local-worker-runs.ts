import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { AgentFailure, type FailureFacts } from '../../failures';
import { connectionsTo } from '../../network/connections';
import { pause } from '../../service/retries';
import type { Settings } from '../../settings/settings';
import { sendSignal, startOf } from '../../processes/processes';
import type { WorkloadStatus } from '../../supervisor/control/control-protocol';
import { WorkloadFolder } from '../../supervisor/state/workload-folder';
import { storeKindOf, storeSetting } from '../workers/artifacts/artifact-stores';
import type { KnownRun, RunId, RunStatus, RunWish, StoreKind, WorkerRuns } from '../workers/worker-runs';
import type { LocalWorkloads, StartedSupervisor } from './local-workloads';
import { isLive } from './pod-resources';

/** All that runs in this namespace belongs to the controller of workers. */
export const WORKERS_NAMESPACE = 'workers';

const LOOPBACK = '127.0.0.1';
/** A supervisor that was started by a controller that was killed needs some time until it has its socket. */
const ADOPTED_WITHIN_MS = 3_000;
/** One of the same name that has ended may need as long to be gone. */
const FREED_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 20;
/** The controller may stop in between. */
const TURN_SECONDS = 1;

/** Workers as supervised processes of this machine. */
export class LocalWorkerRuns implements WorkerRuns {
  readonly sharesNetwork = true;
  /** By uid, of those that this process has started. */
  private readonly started = new Map<string, Started>();

  private readonly workloads: LocalWorkloads;

  /** @param workloadsWith those of this machine, whose checkpoints go to a kind of store */
  constructor(
    private readonly workloadsWith: (store: StoreKind) => LocalWorkloads,
    usual: StoreKind,
    private readonly settings: Settings,
    private readonly signal: AbortSignal,
  ) {
    this.workloads = workloadsWith(usual);
  }

  async start(wish: RunWish): Promise<void> {
    const { uid, name, command, variables, network, port, reference, store } = wish;
    if (!(await this.isFree(wish))) return;
    const supervisor = await this.workloadsWith(store).start({
      ...{ namespace: WORKERS_NAMESPACE, name, uid, command, variables, network },
      ...(network === 'isolated' && { publish: `0:${port}` }),
      ...(reference !== undefined && {
        restore: reference,
        restoreStore: storeSetting(this.settings, storeKindOf(reference)),
      }),
    });
    this.started.set(uid, { supervisor, endedAtMs: undefined });
  }

  async status(run: KnownRun): Promise<RunStatus | undefined> {
    const status = await this.workloads.glance(WORKERS_NAMESPACE, run.name);
    if (status?.uid !== run.uid) return this.statusOfStarted(run);
    if (!isLive(status)) {
      const isUnseen = status.phase === 'gone';
      const failure = isUnseen ? await this.failureOfKilled(run) : failureIn(status);
      this.started.delete(run.uid);
      return { state: 'ended', failure, ...(isUnseen && { isUnseen }) };
    }
    const isRunning = status.phase === 'running' || status.phase === 'checkpointing';
    return { state: isRunning ? 'running' : 'starting', endpoint: endpointOf(status, run) };
  }

  async list(): Promise<RunId[]> {
    const { statuses } = await this.workloads.list();
    const own = statuses.filter((status) => status.namespace === WORKERS_NAMESPACE && isLive(status));
    return own.map(({ uid, name }) => ({ uid, name }));
  }

  end({ name, uid }: RunId, isForced: boolean): Promise<void> {
    const { uid: recorded, supervisorPid: pid = null, supervisorStart } = this.folder(name).readStatus() ?? {};
    // Another process may have this id now.
    const isIt = recorded === uid && supervisorStart !== undefined && pid !== null && startOf(pid) === supervisorStart;
    if (isIt) sendSignal(pid, isForced ? 'SIGKILL' : 'SIGTERM');
    return Promise.resolve();
  }

  async checkpoint({ name }: RunId, wish: { readonly id: string; readonly leaveRunning: boolean }): Promise<void> {
    await this.workloads.checkpoint({ namespace: WORKERS_NAMESPACE, name }, wish, () => {});
  }

  async isQuiet(_run: RunId, endpoint: string): Promise<boolean> {
    return (await connectionsTo(Number(new URL(endpoint).port))) === 0;
  }

  async freePort(): Promise<number> {
    const server = createServer();
    server.listen(0, LOOPBACK);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    return port;
  }

  /** Waits until nobody has the name. @returns false if one of the same uid has it, or had it */
  private async isFree({ name, uid }: RunId): Promise<boolean> {
    const folder = this.folder(name);
    for (const until = performance.now() + FREED_WITHIN_MS; ; await pause(LOOK_EVERY_MS, this.signal)) {
      this.signal.throwIfAborted();
      if (folder.readStatus()?.uid === uid) return false;
      const lock = await folder.claim();
      lock?.release();
      if (lock) return true;
      if (performance.now() >= until)
        throw new AgentFailure({ cause: 'name_taken', message: `Another workload has the name ${name}.` });
    }
  }

  /** Waits for what a killed supervisor had started: until then, the worker has not ended. */
  private async failureOfKilled({ name }: RunId): Promise<FailureFacts> {
    const killed = { cause: 'workload_ended', message: 'Its supervisor was killed.' } as const;
    for (const until = performance.now() + FREED_WITHIN_MS; performance.now() < until;) {
      this.signal.throwIfAborted();
      const lock = await this.folder(name).claim(TURN_SECONDS);
      lock?.release();
      if (lock) return killed;
    }
    const late = `What it had started did not end within ${FREED_WITHIN_MS / 1_000} seconds.`;
    return { cause: 'name_taken', message: `${killed.message} ${late}` };
  }

  /** Of a supervisor that has not shown itself. */
  private async statusOfStarted({ uid }: RunId): Promise<RunStatus | undefined> {
    const started = this.started.get(uid);
    if (!started) return undefined;
    const exitCode = started.supervisor.exitCode();
    if (exitCode === undefined) return { state: 'starting', endpoint: undefined };
    // It may have found one of an earlier controller, which is about to show itself.
    started.endedAtMs ??= performance.now();
    if (performance.now() - started.endedAtMs < ADOPTED_WITHIN_MS) return { state: 'starting', endpoint: undefined };
    this.started.delete(uid);
    const message = (await started.supervisor.errorText()) || `The supervisor ended with ${exitCode ?? 'a signal'}.`;
    return { state: 'ended', failure: { cause: 'unclassified', message } };
  }

  private folder(name: string): WorkloadFolder {
    return new WorkloadFolder(this.settings.stateDir, WORKERS_NAMESPACE, name);
  }
}

interface Started {
  readonly supervisor: StartedSupervisor;
  /** When that was first seen. */
  endedAtMs: number | undefined;
}

const failureIn = ({ failure, exitCode }: WorkloadStatus): FailureFacts =>
  failure ?? { cause: 'workload_ended', message: `It ended with the exit code ${exitCode}.` };

function endpointOf({ network }: WorkloadStatus, run: KnownRun): string | undefined {
  if (run.network === 'host') return `http://${LOOPBACK}:${run.port}`;
  return network?.published ? `http://${LOOPBACK}:${network.published.port}` : undefined;
}
