import { mkdtempSync, rmSync } from 'node:fs';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlServer } from '../control/control-server';
import type { WorkloadStatus } from '../control/control-protocol';
import { WorkloadFolder } from './workload-folder';
import { statusOf } from './workloads';

const before = status('2b7d4a0c-5f0f-4a5e-9f5b-0d8c7a3f9e11', '2026-05-04T10:00:00.000Z', 'running');

describe('The status of a workload', () => {
  let stateDir: string;
  let folder: WorkloadFolder;
  let server: Server | undefined;
  let successor: ControlServer | undefined;

  beforeEach(async () => {
    stateDir = mkdtempSync(join(tmpdir(), 'status-'));
    folder = new WorkloadFolder(stateDir, 'default', 'count');
    (await folder.claim())!.release();
    folder.writeStatus(before, false);
  });
  afterEach(async () => {
    await successor?.close();
    server?.close();
    [server, successor] = [undefined, undefined];
    rmSync(stateDir, { recursive: true });
  });

  /** Its supervisor is asked, and is gone before it answers; this happens meanwhile. */
  async function whileAsked(act: () => void | Promise<void>): Promise<WorkloadStatus | undefined> {
    server = createServer((socket) => {
      // Closed, it removes its path: before the next one listens there.
      server!.close();
      void Promise.resolve(act()).then(() => socket.destroy());
    });
    await once(server.listen(join(folder.path, 'control.sock')), 'listening');
    return statusOf(folder);
  }

  it('is "gone" if its supervisor was killed', async () => {
    expect(await statusOf(folder)).toMatchObject({ uid: before.uid, phase: 'gone', supervisorPid: null });
  });

  it('is what its supervisor recorded at its end, if that came between the questions', async () => {
    expect(await whileAsked(() => folder.writeStatus({ ...before, phase: 'ended' }, false))).toMatchObject({
      uid: before.uid,
      phase: 'ended',
    });
  });

  it.each([
    ['another uid', 'e0a3c1f4-6d62-4c8e-8f3f-4e8d21d7b9a6'],
    ['the same uid', before.uid],
  ])('is that of a supervisor with %s that took the name over between the questions', async (_, uid) => {
    const restoring = status(uid, '2026-05-04T10:00:01.000Z', 'restoring');
    const found = await whileAsked(async () => {
      successor = await ControlServer.listen(folder.path, {
        status: () => restoring,
        checkpoint: () => Promise.reject(new Error('Nobody asks for one.')),
      });
      folder.writeStatus(restoring, false);
    });
    expect(found).toEqual(restoring);
  });

  it('is unknown if its folder was removed between the questions', async () => {
    expect(await whileAsked(() => rmSync(folder.path, { recursive: true }))).toBeUndefined();
  });
});

function status(uid: string, startedAt: string, phase: WorkloadStatus['phase']): WorkloadStatus {
  const nothing = { network: null, restored: null, exitCode: null, failure: null, checkpoints: [] };
  const workload = { namespace: 'default', name: 'count', command: ['count'], pid: null };
  return { ...workload, ...nothing, uid, startedAt, phase, supervisorPid: process.pid };
}
