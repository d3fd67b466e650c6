import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Settings } from '../../settings/settings';
import { ControlClient, SupervisorSilent } from '../../supervisor/control/control-client';
import type { WorkloadStatus } from '../../supervisor/control/control-protocol';
import { WorkloadFolder } from '../../supervisor/state/workload-folder';
import { LocalWorkloads } from './local-workloads';

describe('A workload of this machine', () => {
  const place = { namespace: 'default', name: 'count' };
  let stateDir: string;
  let workloads: LocalWorkloads;

  beforeEach(() => {
    stateDir = mkdtempSync(join(tmpdir(), 'ccp-local-'));
    workloads = new LocalWorkloads({ stateDir, parallelDumps: 1 } as Settings, ['true']);
    const folder = new WorkloadFolder(stateDir, place.namespace, place.name);
    mkdirSync(folder.path, { recursive: true });
    const status = { ...place, uid: 'u', phase: 'running', pid: null, supervisorPid: null, checkpoints: [] };
    folder.writeStatus(status as unknown as WorkloadStatus, false);
    jest.spyOn(ControlClient.prototype, 'status').mockRejectedValue(new Error('busy'));
  });
  afterEach(() => {
    jest.restoreAllMocks();
    rmSync(stateDir, { recursive: true });
  });

  it('is not taken for one that has ended while its supervisor is silent', async () => {
    await expect(workloads.find('u')).rejects.toThrow(SupervisorSilent);
    await expect(workloads.at(place, 'u')).rejects.toThrow(SupervisorSilent);
  });

  it('has its name until its supervisor has stored what it has begun, also if it has ended itself', async () => {
    const folder = new WorkloadFolder(stateDir, place.namespace, place.name);
    const ended = { ...place, uid: 'u', phase: 'ended', pid: null, checkpoints: [] };
    const record = (supervisorPid: number | null) =>
      folder.writeStatus({ ...ended, supervisorPid } as unknown as WorkloadStatus, false);
    record(process.pid);
    expect(await workloads.isFree(place.namespace, place.name)).toBe(false);
    record(null);
    expect(await workloads.isFree(place.namespace, place.name)).toBe(true);
  });

  it('is unknown under another uid, also beside a supervisor that is silent', async () => {
    expect(await workloads.find('other')).toBeUndefined();
    expect(await workloads.at(place, 'other')).toBeUndefined();
  });
});
