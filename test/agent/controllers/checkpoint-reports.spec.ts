import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { CHECKPOINT_PATHS, CheckpointReports } from '../../../src/agent/controllers/common/reports/checkpoint-reports';
import { ServiceClient } from '../../../src/agent/service/client';
import { DirectoryStore } from '../../../src/agent/store/directory-store';
import { buildPod } from '../../support/builders';
import { KEY } from '../../support/checkpoint-stores';
import { cluster, syncObjects } from '../../support/inventory';
import { Service, type Organisation } from '../../support/service';
import { ok } from '../../support/workloads';

describe('the report of a checkpoint', () => {
  let service: Service;
  let org: Organisation;
  let directory: string;
  let store: DirectoryStore;
  let reports: CheckpointReports;

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    directory = mkdtempSync(join(tmpdir(), 'ccp-reports-'));
    store = new DirectoryStore({ directory, key: KEY });
    const client = new ServiceClient({ url: service.url, token: org.controller.token, tokenFile: undefined });
    reports = new CheckpointReports({ service: client, store, log: pino({ level: 'silent' }) }, CHECKPOINT_PATHS.pods);
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  afterAll(() => service.close());

  /** Requests a checkpoint of a new pod. @returns the id of the action */
  const requested = async (containers: string[]): Promise<string> => {
    const pod = buildPod('web', {
      spec: { containers: containers.map((name) => ({ name, image: 'train:1' })) },
      status: { containerStatuses: containers.map((name) => ({ name, ready: true, state: { running: {} } })) },
    });
    await syncObjects(org.controller, await cluster(org), pod);
    return ok(await org.operator.post('/v1/checkpoint/pod', { pod_id: pod.metadata.uid, containers })).text;
  };
  const resultOf = (id: string) => ({ reference: `service:${id}`, bytes: 1, stages: [], criu: {} });

  it('reaches the service from each container of a pod, also when it is repeated', async () => {
    const request = { eventId: 7, actionId: await requested(['main', 'side']) };
    for (const name of ['main', 'side', 'main']) {
      const id = await reports.takeUp(request, { container_name: name, name: `default/web/${name}` });
      expect(await reports.result(request, id!, resultOf(id!), 1)).toBe(true);
    }
    expect((await org.viewer.get(`/v1/actions/${request.actionId}`)).body.status).toBe('ready');
  });
});
