import { randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentFailure } from '../../../src/agent/failures';
import type { OnProgress, Stage } from '../../../src/agent/stages';
import { KEY } from '../../support/checkpoint-stores';
import { DirectoryStore } from '../../../src/agent/store/directory-store';
import { CheckpointQueue } from '../../../src/agent/supervisor/checkpoint-queue';
import type {
  CheckpointRequest,
  CheckpointResult,
  WorkloadStatus,
} from '../../../src/agent/supervisor/control/control-protocol';
import { ControlServer } from '../../../src/agent/supervisor/control/control-server';
import { WorkloadFolder } from '../../../src/agent/supervisor/state/workload-folder';

const MACHINE = {
  hostname: 'here',
  bootId: randomUUID(),
  architecture: 'x86_64',
  pageSize: 4_096,
  kernel: '6.1',
  cpuModel: 'test',
  cpuFlags: [],
  libc: '2.36',
  criu: '4.2.1',
  cgroupMode: 'v2' as const,
};

/** CRIU's figures of one dump, as `crit show` printed them. */
export const DUMP = {
  freezing_time: 62,
  frozen_time: 122_635,
  memdump_time: 99_245,
  memwrite_time: 67_800,
  pages_scanned: 66_314,
  pages_skipped_parent: 0,
  pages_written: 66_244,
};

const ms = (duration: number) => duration * 1e6;
export const STAGES: readonly Stage[] = [
  { name: 'inspect', durationNs: ms(2), bytes: 0 },
  { name: 'freeze', durationNs: ms(1), bytes: 0 },
  {
    name: 'dump',
    durationNs: ms(140),
    bytes: 271_335_424,
    parts: (['frozen', 'memdump', 'memwrite'] as const).map((name) => ({
      name,
      durationNs: DUMP[`${name}_time`] * 1_000,
      bytes: 0,
    })),
  },
  { name: 'hash', durationNs: ms(40), bytes: 271_335_424 },
  { name: 'resume', durationNs: ms(1), bytes: 0 },
];

/**
 * A supervisor without a workload: it speaks the protocol on a real socket in a real folder, and keeps
 * checkpoints in a real store. A test decides how a dump goes.
 */
export class ProtocolSupervisor {
  /** Ids of the dumps that began, each once. */
  readonly dumps: string[] = [];
  dump: (request: CheckpointRequest, onProgress: OnProgress) => Promise<void> = () => Promise.resolve();
  readonly uid = randomUUID();
  private phase: WorkloadStatus['phase'] = 'running';
  private exitCode: number | null = null;
  private server!: ControlServer;
  private readonly folder: WorkloadFolder;
  private readonly queue: CheckpointQueue;

  private constructor(
    stateDir: string,
    readonly name: string,
    private readonly store: DirectoryStore,
    hungAfterMs?: number,
  ) {
    this.folder = new WorkloadFolder(stateDir, 'default', name);
    mkdirSync(this.folder.path, { recursive: true });
    this.queue = new CheckpointQueue(
      [],
      async (request, clock) => ({ result: await this.checkpoint(request, clock.onProgress) }),
      () => this.record(),
      hungAfterMs === undefined ? {} : { hungAfterMs },
    );
  }

  static async start(stateDir: string, name: string, hungAfterMs?: number): Promise<ProtocolSupervisor> {
    const store = new DirectoryStore({ directory: join(stateDir, 'checkpoints'), key: KEY });
    const supervisor = new ProtocolSupervisor(stateDir, name, store, hungAfterMs);
    await supervisor.listen();
    return supervisor;
  }

  /** Its workload ends by itself. */
  async end(exitCode: number): Promise<void> {
    this.phase = 'ended';
    this.exitCode = exitCode;
    await this.kill();
    this.record();
  }

  /** As after SIGKILL: the socket is silent, and the record stays as it was. */
  async kill(): Promise<void> {
    await this.server.close();
  }

  private async listen(): Promise<void> {
    this.record();
    this.server = await ControlServer.listen(this.folder.path, {
      status: () => this.status(),
      checkpoint: (request, onLine) => this.queue.request(request, onLine),
    });
  }

  /** Stores a checkpoint of which it keeps no record. */
  async take(id: string): Promise<void> {
    await this.checkpoint({ id, leaveRunning: true }, () => {});
  }

  private async checkpoint(request: CheckpointRequest, onProgress: OnProgress): Promise<CheckpointResult> {
    this.dumps.push(request.id);
    await this.dump(request, onProgress);
    const draft = await this.store.begin(request.id);
    await writeFile(join(draft.directory, 'pages-1.img'), randomUUID());
    const { reference, bytes } = await draft.publish({
      id: request.id,
      createdAt: new Date().toISOString(),
      workload: {
        namespace: 'default',
        name: this.name,
        command: ['count'],
        cwd: '/',
        treatment: {},
        log: { path: '/log', bytes: 0 },
        ...(!request.leaveRunning && { letGo: true }),
      },
      machine: MACHINE,
      memoryBytes: 271_335_424,
    });
    return { reference, bytes, stages: STAGES, criu: DUMP };
  }

  private record(): void {
    this.folder.writeStatus(this.status(), false);
  }

  private status(): WorkloadStatus {
    return {
      namespace: 'default',
      name: this.name,
      uid: this.uid,
      phase: this.phase,
      // Without a process, so that its socket is all that shows whether it is there.
      pid: null,
      supervisorPid: null,
      command: ['python3', 'count.py'],
      startedAt: '2026-06-01T10:00:00.000Z',
      network: { mode: 'host', port: null, published: null },
      restored: null,
      exitCode: this.exitCode,
      failure: null,
      checkpoints: this.queue.states,
    };
  }
}

export const fileChanged = (): AgentFailure =>
  new AgentFailure({
    cause: 'file_changed',
    message: 'The file /var/log/count has 12 bytes and had 10.',
    remedy: 'Write the log in append mode.',
    log: ['Error (criu/files-reg.c:2089): File var/log/count has bad size 12 (expect 10)'],
  });
