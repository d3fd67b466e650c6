import { setTimeout as sleep } from 'node:timers/promises';
import { RequestJournal } from '../../../src/agent/controllers/common/requests/request-journal';
import type { CheckpointAsked, Request } from '../../../src/agent/controllers/slurm/requests/slurm-requests';
import type { WorkContext } from '../../../src/agent/controllers/slurm/requests/work-context';
import { ServiceUnreachable } from '../../../src/agent/service/problems';
import { idFor } from '../../../src/agent/service/requests';
import type { SlurmJob } from '../../../src/agent/slurm/records';

export const CHECKPOINT = 'a01228a1-b05b-4ea2-860c-b02d913150b5';
export const REFERENCE = `/store/checkpoints/${CHECKPOINT}`;
/** What the store has of it. */
export const MANIFEST = {
  ...{ id: CHECKPOINT, reference: REFERENCE, bytes: 1, stages: [] },
  workload: { namespace: 'slurm-hpc', name: 'job-7' },
};
export const ASKED: CheckpointAsked = {
  kind: 'checkpoint',
  actionId: 'b01228a1-b05b-4ea2-860c-b02d913150b5',
  eventId: 1,
  checkpointId: CHECKPOINT,
  jobId: 7,
  leaveRunning: true,
};

/** One job that runs on a node, and a service that may be down. */
export class StubJob {
  job = {
    ...{ jobId: 7, reference: '7', cluster: 'hpc', phase: 'running', state: 'RUNNING', restarts: 0 },
    ...{ isRequeueable: true, batchHost: 'n1', nodes: 'n1', nodeCount: 1, excludedNodes: '', adminComment: '' },
    record: {},
  } as unknown as SlurmJob;
  isDown = false;
  action: object = { status: 'in_progress', reason: 'maintenance', details: null, restore_path: REFERENCE };
  /** Operations that the service has got. */
  readonly operations: string[] = [];
  /** What Slurm was asked to change in the job. */
  readonly changes: string[] = [];
  readonly journal: RequestJournal<Request>;
  private stop = new AbortController();

  /** @param onTaken its supervisor has taken a checkpoint */
  constructor(
    directory: string,
    readonly onTaken: (stub: StubJob) => void = () => {},
  ) {
    this.journal = new RequestJournal(directory);
  }

  /** Ends the agent of all contexts so far. */
  kill(): void {
    this.stop.abort(new Error('killed'));
    this.stop = new AbortController();
  }

  runsOn(batchHost: string): void {
    this.change({ phase: 'running', batchHost });
  }

  change(members: Partial<SlurmJob>): void {
    this.job = { ...this.job, ...members };
  }

  context(members: object = {}): WorkContext {
    return {
      service: { send: (operation: string) => this.answer(operation) },
      cluster: {
        jobs: () => sleep(5).then(() => new Map([[7, this.job]])),
        hostnames: (list: string) => Promise.resolve(list.split(',').filter(Boolean)),
        updateJob: (_job: SlurmJob, ...changes: string[]) =>
          Promise.resolve(changes.forEach((one) => this.update(one))),
        requeue: () =>
          Promise.resolve(this.change({ phase: 'pending', restarts: this.job.restarts + 1, batchHost: '' })),
      },
      steps: {
        checkpoint: () => {
          this.onTaken(this);
          return Promise.resolve({ reference: REFERENCE, bytes: 1, stages: [], criu: {}, machine: {} });
        },
        hasAttempt: () => Promise.resolve(false),
        statusIfAny: () => Promise.resolve({ uid: 'u', phase: 'running', restored: null, startedAt: '2026-06-01' }),
        status: () => Promise.resolve({ uid: idFor(ASKED, 'pod'), restored: { stages: [] }, startedAt: '2026-06-01' }),
      },
      journal: this.journal,
      log: { info: () => {}, warn: () => {} },
      say: () => {},
      signal: this.stop.signal,
      clusterId: () => 'c',
      store: { manifest: () => Promise.resolve(MANIFEST) },
      mayPass: (error: unknown) => error instanceof ServiceUnreachable,
      drained: undefined,
      agent: 'test',
      ...members,
    } as unknown as WorkContext;
  }

  private answer(operation: string): Promise<unknown> {
    if (this.isDown) return Promise.reject(new ServiceUnreachable(operation, 'ECONNREFUSED'));
    this.operations.push(operation);
    if (operation === 'get_action') return Promise.resolve(this.action);
    return Promise.resolve(operation === 'create_checkpoint' ? CHECKPOINT : '');
  }

  private update(change: string): void {
    this.changes.push(change);
    const [member, value] = [change.slice(0, change.indexOf('=')), change.slice(change.indexOf('=') + 1)];
    if (member === 'ExcNodeList') this.change({ excludedNodes: value });
    if (member === 'AdminComment') this.change({ adminComment: value });
  }
}
