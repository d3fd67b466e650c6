import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../../settings/settings';
import type { WorkloadStatus } from '../../supervisor/control/control-protocol';
import { WorkloadFolder } from '../../supervisor/state/workload-folder';
import { LocalWorkerRuns, WORKERS_NAMESPACE } from './local-worker-runs';
import { LocalWorkloads } from './local-workloads';

const RUN = { uid: 'one', name: 'worker', network: 'host', port: 8000 } as const;

describe('A worker whose supervisor was killed', () => {
  let stateDir: string;
  beforeEach(() => (stateDir = mkdtempSync(join(tmpdir(), 'runs-'))));
  afterEach(() => rmSync(stateDir, { recursive: true }));

  it('has not ended before its guard has ended all that it had started', async () => {
    const settings = { stateDir } as Settings;
    const workloads = new LocalWorkloads(settings);
    const runs = new LocalWorkerRuns(() => workloads, 'directory', settings, new AbortController().signal);
    const folder = new WorkloadFolder(stateDir, WORKERS_NAMESPACE, RUN.name);
    // As a guard has it.
    const lock = await folder.claim();
    folder.writeStatus({ uid: RUN.uid, phase: 'restoring', pid: null, supervisorPid: null } as WorkloadStatus, false);
    let isReleased = false;
    setTimeout(() => {
      isReleased = true;
      lock!.release();
    }, 200);
    const status = await runs.status(RUN);
    expect({ isReleased, status }).toEqual({
      isReleased: true,
      status: {
        ...{ state: 'ended', isUnseen: true },
        failure: { cause: 'workload_ended', message: 'Its supervisor was killed.' },
      },
    });
  });
});
