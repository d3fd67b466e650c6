import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { newId } from '../../../src/1-platform/common/ids';
import { announceLastCheckpoint } from '../../../src/agent/commands/workload/last-checkpoint';
import { CHECKPOINT_PATHS, CheckpointReports } from '../../../src/agent/controllers/common/reports/checkpoint-reports';
import { ServiceClient } from '../../../src/agent/service/client';
import type { Settings } from '../../../src/agent/settings/settings';
import { DirectoryStore } from '../../../src/agent/store/directory-store';
import { WorkloadFolder } from '../../../src/agent/supervisor/state/workload-folder';
import { buildPod } from '../../support/builders';
import { factsOf, KEY } from '../../support/checkpoint-stores';
import { cluster, syncObjects } from '../../support/inventory';
import { Service, type Organisation } from '../../support/service';
import { giveUp, ok } from '../../support/workloads';

describe('the report of a checkpoint', () => {
  let service: Service;
  let org: Organisation;
  let directory: string;
  let store: DirectoryStore;
  let reports: CheckpointReports;
  let said: string[];

  beforeAll(async () => {
    service = await Service.start();
  });
  beforeEach(async () => {
    org = await service.organisation();
    directory = mkdtempSync(join(tmpdir(), 'ccp-reports-'));
    store = new DirectoryStore({ directory, key: KEY });
    const client = new ServiceClient({ url: service.url, token: org.controller.token, tokenFile: undefined });
    said = [];
    const log = pino({ level: 'silent' });
    const say = (line: string) => void said.push(line);
    reports = new CheckpointReports({ service: client, store, log, say }, CHECKPOINT_PATHS.pods);
  });
  afterEach(() => rmSync(directory, { recursive: true }));
  afterAll(() => service.close());

  /** @returns the uid of a running pod */
  const podWith = async (...containers: string[]): Promise<string> => {
    const pod = buildPod('web', {
      spec: { containers: containers.map((name) => ({ name, image: 'train:1' })) },
      status: { containerStatuses: containers.map((name) => ({ name, ready: true, state: { running: {} } })) },
    });
    await syncObjects(org.controller, await cluster(org), pod);
    return pod.metadata.uid;
  };
  /** @returns the id of the action */
  const requested = async (containers: string[]): Promise<string> => {
    const pod_id = await podWith(...containers);
    return ok(await org.operator.post('/v1/checkpoint/pod', { pod_id, containers })).text;
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

  it.each([
    ['keeps what ended its workload', true],
    ['removes what left its workload running', false],
  ])('%s, if it comes after the service gave up', async (_, ended) => {
    const request = { actionId: await requested(['main']) };
    const id = (await reports.takeUp(request, { container_name: 'main' }))!;
    const facts = factsOf(id);
    const draft = await store.begin(id);
    const { reference } = await draft.publish({
      ...facts,
      workload: { ...facts.workload, ...(ended && { letGo: true }) },
    });
    await giveUp(service, org, request.actionId);
    expect(await reports.result(request, id, { ...resultOf(id), reference }, 1)).toBe(false);
    expect(await store.holds(reference)).toBe(ended);
    const { result, failure_reason: reason } = (await org.viewer.get(`/v1/operations/${id}`)).body;
    expect([result, reason]).toEqual(['failed', expect.stringMatching(/^no report arrived for \d+ seconds$/)]);
  });

  describe('that the service does not know, as after its database was restored from a backup,', () => {
    const published = async (id: string) => (await (await store.begin(id)).publish(factsOf(id))).reference;

    it('keeps the checkpoint, and says where it is', async () => {
      const id = newId();
      const reference = await published(id);
      expect(await reports.result({ actionId: newId() }, id, { ...resultOf(id), reference }, 1)).toBe(false);
      expect(await store.holds(reference)).toBe(true);
      expect(said).toEqual([expect.stringContaining(`does not know the checkpoint ${reference}: it stays`)]);
    });

    it('keeps one that was begun before the service was asked, and removes it if the service decided that', async () => {
      const actionId = newId();
      expect(await reports.takeUp({ actionId }, { container_name: 'main' })).toBeUndefined();
      const cancelled = (await reports.takeUp({ actionId: await requested(['main']) }, { container_name: 'main' }))!;
      ok(await org.operator.patch(`/v1/checkpoints/deprecate/${cancelled}`));
      for (const [id, stays] of [
        [newId(), true],
        [cancelled, false],
      ] as const) {
        const reference = await published(id);
        await reports.withdraw(id, { ...resultOf(id), reference });
        expect(await store.holds(reference)).toBe(stays);
      }
      expect(said).toHaveLength(1);
    });
  });

  it('says of a checkpoint that somebody deprecated before it was ready that it was cancelled', async () => {
    const id = (await reports.takeUp({ actionId: await requested(['main']) }, { container_name: 'main' }))!;
    ok(await org.operator.patch(`/v1/checkpoints/deprecate/${id}`));
    expect((await org.viewer.get(`/v1/operations/${id}`)).body.failure_reason).toMatch(/^cancelled:/);
  });

  describe('that a supervisor takes before the end', () => {
    const announced = (uid: string, container?: string) => {
      if (container) process.env.CCP_CONTAINER_NAME = container;
      const { token } = org.controller;
      const settings = { url: service.url, token, tokenFile: undefined, store: directory, stateDir: directory };
      return announceLastCheckpoint(
        settings as unknown as Settings,
        new WorkloadFolder(directory, 'default', 'web'),
        uid,
      );
    };
    afterEach(() => {
      delete process.env.CCP_CONTAINER_NAME;
      delete process.env.CCP_POD_NAME;
    });

    it('is another one for each container of a pod, and for each run of a container', async () => {
      const uid = await podWith('main', 'side');
      const ids: string[] = [];
      for (const container of ['main', 'side', 'main']) {
        const last = await announced(uid, container);
        await last.report({ result: resultOf(last.id) });
        ids.push(last.id);
      }
      expect(new Set(ids).size).toBe(3);
    });

    it('is of its only container, if that does not know its name', async () => {
      process.env.CCP_POD_NAME = 'web';
      const last = await announced(await podWith('main'));
      await last.report({ result: resultOf(last.id) });
      expect((await org.viewer.get(`/v1/checkpoints?ids=${last.id}`)).body).toMatchObject([{ container_name: 'main' }]);
    });

    it.each([
      ['several run', { running: {} }],
      ['the service knows that only another one runs', { waiting: { reason: 'CrashLoopBackOff' } }],
    ])('is of none of several that do not know their names, if %s', async (_, state) => {
      process.env.CCP_POD_NAME = 'web';
      const pod = buildPod('web', {
        spec: { containers: ['main', 'side'].map((name) => ({ name, image: 'train:1' })) },
        status: {
          containerStatuses: [
            { name: 'main', ready: true, state: { running: {} } },
            { name: 'side', ready: false, state },
          ],
        },
      });
      await syncObjects(org.controller, await cluster(org), pod);
      await expect(announced(pod.metadata.uid)).rejects.toMatchObject({ facts: { cause: 'invalid_setting' } });
      expect(JSON.stringify((await org.viewer.get('/v1/checkpoints')).body)).not.toContain('"main"');
    });
  });
});
