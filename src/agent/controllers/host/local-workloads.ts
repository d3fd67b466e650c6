import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { flagsOf, type Settings } from '../../settings/settings';
import { ControlClient, SupervisorSilent } from '../../supervisor/control/control-client';
import type { CheckpointRequest, CheckpointResult, WorkloadStatus } from '../../supervisor/control/control-protocol';
import type { OnProgress } from '../../stages';
import { isDnsLabel, WorkloadFolder } from '../../supervisor/state/workload-folder';
import { startOf } from '../../processes/processes';
import type { StandbyOrder } from '../../supervisor/standby';
import { statusOf, workloadFolders } from '../../supervisor/state/workloads';
import { isLive } from './pod-resources';
import { RestoreSupervisors } from './restore-supervisors';

/** Sockets that are asked at the same time. */
const ASKED_AT_ONCE = 32;

/** What a supervisor that did not start left on standard error. */
const MAX_ERROR_TEXT = 4_096;

export interface RestoreWish {
  readonly namespace: string;
  readonly name: string;
  /** Of the pod that it will be. */
  readonly uid: string;
  readonly reference: string;
  readonly allowIncompatible?: boolean;
}

/** A supervisor that was started and that lives on without this process. */
export interface StartedSupervisor {
  /** Its exit code, for as long as this process watches; null: a signal ended it. */
  exitCode(): number | null | undefined;
  /** The end of what it wrote to standard error. */
  errorText(): Promise<string>;
}

/** What a supervisor answered, and when it had recorded that. */
interface Known {
  readonly recordedAt: number | undefined;
  readonly status: WorkloadStatus;
  /** When its process started: another one may get the same id later. */
  readonly processStart: string | undefined;
}

/** The supervised workloads of this machine: everything below one state directory. */
export class LocalWorkloads {
  /** By path. Supervisors are asked again only when that may have changed: there may be hundreds. */
  private known = new Map<string, Known>();
  private readonly restores: RestoreSupervisors;

  /**
   * @param program what runs `ccp-agent`: the program and its first arguments
   * @param namespaces the others do not exist for it; undefined: all do
   * @param standsBy whether one supervisor waits for the next restore
   */
  constructor(
    private readonly settings: Settings,
    program: readonly [string, ...string[]] = [process.execPath, ...process.execArgv, programFile()],
    private readonly namespaces?: ReadonlySet<string>,
    standsBy = false,
  ) {
    const given = [...flagsOf(settings), '--parallel-dumps', String(settings.parallelDumps)];
    const directory = join(settings.stateDir, 'host', 'restores');
    this.restores = new RestoreSupervisors([...program, ...given], directory, standsBy);
  }

  serves(namespace: string): boolean {
    return this.namespaces?.has(namespace) ?? true;
  }

  /**
   * All that have, or had, a supervisor, without their checkpoints; those whose supervisor does not answer in
   * time are left out.
   */
  async list(): Promise<{ readonly statuses: WorkloadStatus[]; readonly silent: WorkloadFolder[] }> {
    const folders = workloadFolders(this.settings.stateDir).filter(({ namespace }) => this.serves(namespace));
    const [statuses, silent]: [WorkloadStatus[], WorkloadFolder[]] = [[], []];
    const now = new Map<string, Known>();
    let next = 0;
    const ask = async () => {
      for (let folder = folders[next++]; folder; folder = folders[next++]) {
        try {
          const known = await this.look(folder);
          if (!known) continue;
          statuses.push(known.status);
          now.set(folder.path, known);
        } catch {
          // Busy, or its record is being replaced: nothing is known of it this time.
          silent.push(folder);
        }
      }
    };
    await Promise.all(Array.from({ length: Math.min(ASKED_AT_ONCE, folders.length) }, ask));
    this.known = now;
    return { statuses, silent };
  }

  /**
   * What the supervisor of one name is doing, without its checkpoints: cheap to ask again and again. Throws
   * if it does not answer in time.
   */
  async glance(namespace: string, name: string): Promise<WorkloadStatus | undefined> {
    const folder = new WorkloadFolder(this.settings.stateDir, namespace, name);
    const known = await this.look(folder);
    if (known) this.known.set(folder.path, known);
    return known?.status;
  }

  private async look(folder: WorkloadFolder): Promise<Known | undefined> {
    const recordedAt = folder.recordedAt();
    const known = this.known.get(folder.path);
    if (known && known.recordedAt === recordedAt && isStill(known)) return known;
    const status = await statusOf(folder, true);
    if (!status) return undefined;
    const processStart = status.pid === null ? undefined : startOf(status.pid);
    return { recordedAt, status: { ...status, checkpoints: [] }, processStart };
  }

  /**
   * With its checkpoints. Where it was when all were listed, one question is enough.
   * Throws `SupervisorSilent` if its supervisor is there and does not answer.
   */
  async find(uid: string): Promise<WorkloadStatus | undefined> {
    const last = [...this.known.values()].find(({ status }) => status.uid === uid)?.status;
    const there = last && (await this.at(last, uid));
    if (there) return there;
    const { statuses, silent } = await this.list();
    const found = statuses.find((status) => status.uid === uid);
    if (!found && silent.some((folder) => recordedUid(folder) === uid)) throw silence(uid);
    return found && ((await this.at(found, uid)) ?? found);
  }

  /**
   * One workload, if it has this uid: one question, however many workloads there are. Throws
   * `SupervisorSilent` as `find` does.
   */
  async at({ namespace, name }: Pick<WorkloadStatus, 'namespace' | 'name'>, uid: string) {
    const folder = new WorkloadFolder(this.settings.stateDir, namespace, name);
    try {
      const status = await statusOf(folder);
      return status?.uid === uid ? status : undefined;
    } catch (error) {
      if (recordedUid(folder) === uid) throw silence(uid, error);
      return undefined;
    }
  }

  /** Throws `AgentFailure`. A repeated id joins the attempt in progress, or gets its result. */
  checkpoint(
    { namespace, name }: Pick<WorkloadStatus, 'namespace' | 'name'>,
    wish: CheckpointRequest,
    onProgress: OnProgress,
  ): Promise<CheckpointResult> {
    const { path } = new WorkloadFolder(this.settings.stateDir, namespace, name);
    return new ControlClient(path).checkpoint(wish, onProgress);
  }

  /** Files of error output that are still to be written. */
  get awaitedErrors(): readonly string[] {
    const { standbyErrors } = this.restores;
    return standbyErrors === undefined ? [] : [standbyErrors];
  }

  /** The next restore will take less time. */
  prepareRestore(): void {
    this.restores.prepare();
  }

  /** Starts a supervisor that restores a checkpoint. */
  startRestore({ reference: restore, ...workload }: RestoreWish): Promise<StartedSupervisor> {
    return this.start({ ...workload, restore });
  }

  /** Starts a supervisor. It is detached, so it outlives this process. */
  async start(order: StandbyOrder): Promise<StartedSupervisor> {
    const { child, errors } = await this.restores.start(order);
    return {
      exitCode: () => (child.exitCode === null && child.signalCode === null ? undefined : child.exitCode),
      // People may have removed it. The exit code is left.
      errorText: async () => (await readFile(errors, 'utf8').catch(() => '')).slice(-MAX_ERROR_TEXT).trim(),
    };
  }

  /** Whether a workload can have this name: it is valid, and nobody runs under it. */
  async isFree(namespace: string, name: string): Promise<boolean> {
    if (!isDnsLabel(namespace) || !isDnsLabel(name)) return false;
    const folder = new WorkloadFolder(this.settings.stateDir, namespace, name);
    const status = await statusOf(folder);
    if (status === undefined || status.phase === 'gone') return true;
    // Its supervisor may outlive it for a while, to store a checkpoint.
    return status.phase === 'ended' && !folder.isRunningHere();
  }
}

/** @returns undefined if its record is being replaced */
function recordedUid(folder: WorkloadFolder): string | undefined {
  try {
    return folder.readStatus()?.uid;
  } catch {
    return undefined;
  }
}

const silence = (uid: string, cause?: unknown): SupervisorSilent =>
  new SupervisorSilent(`The supervisor of the pod ${uid} is there, and does not answer.`, { cause });

/** The file of this program, as it was started. */
const programFile = (): string => process.argv[1] ?? join(__dirname, '../../main.js');

/**
 * Only a new supervisor changes a workload that has ended, and only its supervisor one that runs. Both write
 * a record. A supervisor that is killed takes its process with it.
 */
const isStill = ({ status, processStart }: Known): boolean =>
  !isLive(status) ||
  (status.phase === 'running' &&
    status.pid !== null &&
    processStart !== undefined &&
    startOf(status.pid) === processStart);
