import { createServer, request as httpRequest, type IncomingMessage, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { newId } from '../../src/1-platform/common/ids';
import { eventually } from '../support/eventually';
import { issueKey, saveRoute } from '../support/inference';
import { buildPolicy, heartbeat, ofNamespace } from '../support/policies';
import { createProfile, intentOf, reportPhase } from '../support/profiles';
import { Service, type Organisation } from '../support/service';
import { slurmCluster, slurmJob, syncJobs } from '../support/slurm-builders';
import { putSlurmUploaded, takeUpSlurm } from '../support/slurm-checkpoints';
import {
  buildCluster,
  buildPod,
  ok,
  putInfo,
  putUploaded,
  readyCheckpoint,
  reportRestore,
  takeUp,
  type RunningPod,
} from '../support/workloads';
import { CliUnderTest } from './support/cli';
import { NO_ANSWER, StubService } from './support/stub-service';

const INFO = {
  entries: [{ dump: { freezing_time: 62, frozen_time: 122_635, memdump_time: 99_245, memwrite_time: 67_800 } }],
};

describe('ccp', () => {
  let service: Service;
  let org: Organisation;
  let cli: CliUnderTest;
  let pod: RunningPod;

  beforeAll(async () => {
    service = await Service.start();
    cli = new CliUnderTest();
  });
  beforeEach(async () => {
    org = await service.organisation();
    pod = await buildPod(org, await buildCluster(org), { name: 'trainer' });
  });
  afterAll(async () => {
    await cli.remove();
    await service.close();
  });

  const env = (): NodeJS.ProcessEnv => ({ CCP_URL: service.url, CCP_TOKEN: org.operator.token });
  const call = (...args: readonly string[]) => cli.call(args, { env: env() });
  const start = (...args: readonly string[]) => cli.start(args, { env: env() });
  const actionsOf = async (): Promise<{ action_id: string; type: string; leave_running: boolean }[]> =>
    (await org.viewer.get('/v1/actions')).body as { action_id: string; type: string; leave_running: boolean }[];
  /** The newest request, as soon as there is one. */
  const requested = async (): Promise<string> => {
    let id = '';
    await eventually(async () => {
      id = (await actionsOf())[0]?.action_id ?? '';
      expect(id).not.toBe('');
    });
    return id;
  };

  let stub: StubService | undefined;
  afterEach(() => stub?.close());
  /** Calls it with answers of a stub. */
  const callStub = async (answer: Parameters<typeof StubService.start>[0], ...args: readonly string[]) => {
    stub?.close();
    stub = await StubService.start(answer);
    return cli.call(args, { env: { CCP_URL: stub.url } });
  };

  it.each([
    ['checkpoint', 'pod', 'trainer'],
    ['checkpoint', 'job', '7', '--cluster', 'slurm'],
    ['restore', 'trainer'],
    ['wake', 'llama'],
    ['suspend', 'llama'],
  ])('sends nothing for %s %s if its --timeout is wrong', async (...args) => {
    const { code, err } = await callStub(() => undefined, ...args, '--wait', '--timeout', 'soon');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('--timeout: "soon"') as string });
    expect(stub?.requests).toEqual([]);
  });

  it('sends nothing with a key that is none', async () => {
    const { code, err } = await callStub(() => undefined, 'wake', 'llama', '--idempotency-key', 'two words');
    expect({ code, err }).toEqual({
      code: 2,
      err: expect.stringContaining('--idempotency-key: "two words"') as string,
    });
    expect(stub?.requests).toEqual([]);
  });

  describe('checkpoint', () => {
    it('waits until the checkpoint is ready, and prints what is reported on the way', async () => {
      const waiting = start('checkpoint', 'pod', 'trainer', '-n', 'training', '--wait');
      const actionId = await requested();
      const checkpointId = await takeUp(org, actionId, { container_name: 'main' });
      const progress = { stage: 'dump', bytes_done: 512, bytes_total: 1_024 };
      expect((await org.controller.put(`/v1/checkpoints/progress/${checkpointId}`, progress)).status).toBe(204);
      await waiting.printed('main: dump, 512 of 1024 bytes');
      ok(await putInfo(org, checkpointId));
      ok(await putUploaded(org, checkpointId, '/checkpoints/1'));
      expect(await waiting.ended).toMatchObject({ code: 0, out: `${actionId}\n` });
    });

    it('ends with 1 and the reason if the checkpoint fails', async () => {
      const waiting = start('checkpoint', 'pod', 'trainer', '--wait');
      const checkpointId = await takeUp(org, await requested(), { container_name: 'main' });
      ok(await putInfo(org, checkpointId, undefined, { error: 'the disk is full' }));
      expect(await waiting.ended).toMatchObject({ code: 1, err: expect.stringContaining('the disk is full') });
    });

    it('ends with 6 if it takes too long, and names the command that goes on', async () => {
      const { code, err } = await call('checkpoint', 'pod', 'trainer', '--wait', '--timeout', '1', '--let-go');
      const [action] = await actionsOf();
      expect(code).toBe(6);
      expect(err).toContain(`"ccp logs ${action?.action_id} --follow"`);
      expect(action?.leave_running).toBe(false);
    });

    it('requests one of a Slurm job, by its number or its name', async () => {
      const clusterId = await slurmCluster(org);
      expect((await syncJobs(org.controller, clusterId, [slurmJob(7, { name: 'train' })])).status).toBe(200);
      const [byNumber, byName] = [await call('checkpoint', 'job', '7'), await call('checkpoint', 'job', 'train')];
      expect([byNumber.code, byName.code]).toEqual([0, 0]);
      const known = (await actionsOf()).map(({ action_id: id }) => id);
      expect(known).toEqual(expect.arrayContaining([byNumber.out.trim(), byName.out.trim()]));
      expect((await call('checkpoint', 'job', 'nobody')).code).toBe(4);
    });

    it('does nothing twice with the same key', async () => {
      const key = ['--idempotency-key', newId()];
      const [first, second] = [
        await call('checkpoint', 'pod', 'trainer', ...key),
        await call('checkpoint', 'pod', 'trainer', ...key),
      ];
      expect(second.out).toBe(first.out);
      expect(await actionsOf()).toHaveLength(1);
    });

    describe('behind a proxy that loses answers', () => {
      let proxy: Server;
      /** Keys of the requests that change something. */
      let posts: string[];
      let isLost: (method: string) => boolean;
      beforeEach(async () => {
        posts = [];
        proxy = createServer((incoming, outgoing) => {
          const headers = { ...incoming.headers, host: new URL(service.url).host };
          const forwarded = httpRequest(
            service.url + incoming.url!,
            { method: incoming.method!, headers },
            (answer: IncomingMessage) => {
              const { method = '' } = incoming;
              if (method === 'POST') posts.push(String(incoming.headers['idempotency-key']));
              if (isLost(method)) return void answer.resume().once('end', () => incoming.socket.destroy());
              outgoing.writeHead(answer.statusCode!, answer.headers);
              answer.pipe(outgoing);
            },
          );
          incoming.pipe(forwarded);
        }).listen(0, '127.0.0.1');
        await once(proxy, 'listening');
      });
      afterEach(() => proxy.close());

      const callProxy = (...args: readonly string[]) => {
        const url = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
        return cli.call(args, { env: { ...env(), CCP_URL: url } });
      };

      it('requests the checkpoint once if the first one is lost', async () => {
        isLost = (method) => method === 'POST' && posts.length === 1;
        const { code, out } = await callProxy('checkpoint', 'pod', 'trainer');
        expect(code).toBe(0);
        expect(posts).toHaveLength(2);
        expect(posts[0]).toBe(posts[1]);
        expect((await actionsOf()).map(({ action_id: id }) => id)).toEqual([out.trim()]);
      });

      it('names the key if all of them are lost, with which a repetition requests nothing more', async () => {
        isLost = (method) => method === 'POST';
        const { code, out, err } = await callProxy('checkpoint', 'pod', 'trainer', '-o', 'json');
        expect(code).toBe(5);
        const [key = ''] = posts;
        expect(JSON.parse(out)).toMatchObject({ failure: { code: 'service_unreachable', idempotency_key: key } });
        expect(err).toContain(`repeat the command for ${pod.id} with --idempotency-key ${key}`);
        const again = await call('checkpoint', 'pod', pod.id, '--idempotency-key', key);
        expect((await actionsOf()).map(({ action_id: id }) => id)).toEqual([again.out.trim()]);
      });

      it('names no key of a request that was refused', async () => {
        isLost = () => false;
        const actionId = (await call('checkpoint', 'pod', 'trainer')).out.trim();
        const { code, out } = await callProxy('restore', actionId, '-o', 'json');
        expect({ code, posts: posts.length }).toEqual({ code: 3, posts: 1 });
        expect(JSON.parse(out)).not.toHaveProperty('failure.idempotency_key');
      });

      it('prints the id of the action if the action cannot be read', async () => {
        isLost = (method) => method === 'GET' && posts.length > 0;
        const { code, out, err } = await callProxy('checkpoint', 'pod', 'trainer', '-o', 'json');
        const [action] = await actionsOf();
        expect(JSON.parse(out)).toEqual({ action_id: action?.action_id });
        expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('It cannot be shown') as string });
      });
    });
  });

  describe('restore', () => {
    it('takes an action, a checkpoint, or the name of a checkpoint', async () => {
      const { actionId, checkpointId } = await readyCheckpoint(org, pod.id, { name: 'first' });
      for (const reference of [actionId, checkpointId, 'first', checkpointId.slice(0, -1)]) {
        const { code, out } = await call('restore', reference);
        expect([reference, code]).toEqual([reference, 0]);
        const { body } = await org.viewer.get(`/v1/actions/${out.trim()}`);
        expect(body).toMatchObject({ type: 'restore_pod', details: { action_id: actionId } });
      }
      expect((await call('restore', 'nothing')).code).toBe(4);
    });

    it('restores a pod beside its owner on request', async () => {
      const { actionId } = await readyCheckpoint(org, pod.id);
      const { out } = await call('restore', actionId, '--standalone');
      const { body } = await org.viewer.get(`/v1/actions/${out.trim()}`);
      expect(body.details).toMatchObject({ action_id: actionId, overrides: { standalone: true } });
    });

    it('refuses the beginning of an id that leads to several requests', async () => {
      const [one, other] = ['0199f3c2-0001-7000-8000-000000000001', '0199f3c2-0002-7000-8000-000000000002'];
      const restored = newId();
      let actionId = other;
      const answer = (path: string): unknown => {
        const checkpoint = { id: '0199f3c2-0003-7000-8000-000000000003', action_id: actionId, status: 'ready' };
        if (path === '/v1/actions') return [{ action_id: one }];
        if (path === '/v1/checkpoints') return [checkpoint];
        if (path === `/v1/actions/${one}`) return { checkpoint_ids: [checkpoint.id] };
        if (path === '/v1/slurm/checkpoints') return [];
        return path === '/v1/restore/pod' ? restored : undefined;
      };
      expect(await callStub(answer, 'restore', '0199f3c2')).toMatchObject({
        code: 2,
        err: expect.stringContaining('0199f3c2 means 2 things: action '),
      });
      expect(stub?.requests).not.toContain('POST /v1/restore/pod');
      stub?.close();
      actionId = one;
      expect(await callStub(answer, 'restore', '0199f3c2')).toMatchObject({ code: 0, out: `${restored}\n` });
    });

    it('restores nothing else if a service that ignores filters has one action, and one checkpoint', async () => {
      const [one, other] = [newId(), newId()];
      const answer = (path: string): unknown => {
        if (path === '/v1/actions') return [{ action_id: one, checkpoint_ids: [] }];
        if (path === '/v1/checkpoints') return [{ id: one, action_id: one, status: 'ready', name: 'first' }];
        if (path === `/v1/actions/${one}`) return { action_id: one, checkpoint_ids: [] };
        return path === '/v1/restore/pod' ? newId() : undefined;
      };
      const { code, err } = await callStub(answer, 'restore', other);
      expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining(`nor a checkpoint ${other}`) as string });
      expect(stub?.requests).not.toContain('POST /v1/restore/pod');
      expect((await callStub(answer, 'restore', one)).code).toBe(0);
    });

    it('refuses a name of several workloads, and takes it with its namespace', async () => {
      const other = await buildPod(org, pod.clusterId, { name: 'trainer', namespace: 'other' });
      const { actionId } = await readyCheckpoint(org, pod.id, { name: 'model' });
      await readyCheckpoint(org, other.id, { name: 'model' });
      const { code, err } = await call('restore', 'model');
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('2 workloads have ready') as string });
      expect(err).toContain('pod training/trainer of the cluster');
      expect((await actionsOf()).map(({ type }) => type)).not.toContain('restore_pod');
      const { out } = await call('restore', 'training/model');
      const { body } = await org.viewer.get(`/v1/actions/${out.trim()}`);
      expect(body).toMatchObject({ type: 'restore_pod', details: { action_id: actionId } });
    });

    it('refuses a name of several Slurm jobs', async () => {
      const clusterId = await slurmCluster(org);
      await syncJobs(org.controller, clusterId, [slurmJob(7, { name: 'train' }), slurmJob(8, { name: 'train' })]);
      const ready = async (job: string): Promise<void> => {
        const actionId = (await call('checkpoint', 'job', job)).out.trim();
        ok(await putSlurmUploaded(org, await takeUpSlurm(org, actionId), '/checkpoints/1'));
      };
      await ready('7');
      await ready('7');
      expect((await call('restore', 'train')).code).toBe(0);
      await ready('8');
      const { code, err } = await call('restore', 'train');
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('job 8 of the cluster') as string });
    });

    it('waits until the workload is restored', async () => {
      const { actionId } = await readyCheckpoint(org, pod.id);
      const waiting = start('restore', actionId, '--wait');
      await waiting.printed('was requested');
      const restoreAction = await requested();
      const body = { restore_uuid: newId(), action_id: restoreAction };
      ok(await reportRestore(org, 'restore_start', body));
      ok(await reportRestore(org, 'restore_success', body));
      expect(await waiting.ended).toMatchObject({ code: 0, out: `${restoreAction}\n` });
    });

    it('ends with 1 if the workload runs without its checkpoint in the end', async () => {
      const { actionId } = await readyCheckpoint(org, pod.id);
      const waiting = start('restore', actionId, '--wait', '-o', 'json');
      await waiting.printed('was requested');
      const restoreAction = await requested();
      const broken = { restore_uuid: newId(), action_id: restoreAction };
      for (const event of ['restore_start', 'restore_success'] as const)
        ok(await reportRestore(org, event, { ...broken, status: 'fallback' }));
      const { code, out } = await waiting.ended;
      expect([code, JSON.parse(out)]).toEqual([
        1,
        {
          failure: expect.objectContaining({
            code: 'restore_fell_back',
            remedy: expect.stringContaining(`ccp logs ${restoreAction}`) as string,
          }) as object,
        },
      ]);
    });

    describe('of a pod with two containers', () => {
      /** The action of its checkpoints, and these by their containers. */
      const withTwo = async () => {
        await buildPod(org, pod.clusterId, { name: 'two', containers: ['main', 'sidecar'] });
        const source = (await call('checkpoint', 'pod', 'two')).out.trim();
        const checkpoints = new Map<string, string>();
        for (const container of ['main', 'sidecar']) {
          const id = await takeUp(org, source, { container_name: container });
          ok(await putInfo(org, id));
          ok(await putUploaded(org, id, `/checkpoints/${container}`));
          checkpoints.set(container, id);
        }
        return { source, checkpoints };
      };
      type Two = Awaited<ReturnType<typeof withTwo>>;
      const ends = async ({ checkpoints }: Two, actionId: string, container: string, status: string) => {
        const attempt = {
          restore_uuid: newId(),
          action_id: actionId,
          checkpoint_id: checkpoints.get(container),
          metadata: { container_name: container },
        };
        ok(await reportRestore(org, 'restore_start', attempt));
        ok(await reportRestore(org, 'restore_success', { ...attempt, status }));
      };

      it('ends with 1 if one of them runs without its checkpoint, whichever comes last', async () => {
        const two = await withTwo();
        for (const order of [
          ['main', 'sidecar'],
          ['sidecar', 'main'],
        ]) {
          const waiting = start('restore', two.source, '--wait', '-o', 'json');
          await waiting.printed('was requested');
          const actionId = await requested();
          for (const container of order)
            await ends(two, actionId, container, container === 'main' ? 'fallback' : 'completed');
          const { code, out } = await waiting.ended;
          expect([code, JSON.parse(out)]).toMatchObject([1, { failure: { code: 'restore_fell_back' } }]);
          expect((await call('logs', actionId, '--follow')).code).toBe(1);
        }
      });

      it('ends well if a later attempt restores the one that had fallen back', async () => {
        const two = await withTwo();
        const waiting = start('restore', two.source, '--wait');
        await waiting.printed('was requested');
        const actionId = await requested();
        await ends(two, actionId, 'main', 'fallback');
        await ends(two, actionId, 'main', 'completed');
        await ends(two, actionId, 'sidecar', 'completed');
        expect(await waiting.ended).toMatchObject({ code: 0, out: `${actionId}\n` });
        expect((await call('logs', actionId, '--follow')).code).toBe(0);
      });
    });

    it('is refused for a checkpoint that is not ready', async () => {
      const { out } = await call('checkpoint', 'pod', 'trainer');
      const { code, err } = await call('restore', out.trim());
      expect({ code, err }).toEqual({ code: 3, err: expect.stringContaining('(checkpoint_not_ready)') as string });
    });

    it('restores a Slurm job as one', async () => {
      const clusterId = await slurmCluster(org);
      await syncJobs(org.controller, clusterId, [slurmJob(7)]);
      const actionId = (await call('checkpoint', 'job', '7')).out.trim();
      ok(await putSlurmUploaded(org, await takeUpSlurm(org, actionId), '/checkpoints/7'));
      expect((await call('restore', actionId, '--standalone')).code).toBe(2);
      const { code, err } = await call('restore', actionId);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      const { body } = await org.viewer.get('/v1/inference/outbox?consumer_id=test&watch=true&after=0');
      expect((body as { event_type: string }[]).map(({ event_type: type }) => type)).toContain(
        'slurm.restore_requested',
      );
    });
  });

  describe('deprecate', () => {
    const statusesOf = async (...ids: string[]) =>
      ((await org.viewer.get(`/v1/checkpoints?ids=${ids.join(',')}`)).body as { status: string }[]).map(
        ({ status }) => status,
      );

    it('gives checkpoints up by their ids, ready or not, and prints them', async () => {
      const { checkpointId: ready } = await readyCheckpoint(org, pod.id);
      const waiting = await takeUp(org, (await call('checkpoint', 'pod', 'trainer')).out.trim());
      const { code, out } = await call('deprecate', ready, waiting.slice(0, -1));
      expect({ code, out }).toEqual({ code: 0, out: `${ready}\n${waiting}\n` });
      expect(await statusesOf(ready, waiting)).toEqual(['deprecated', 'deprecated']);
    });

    it('ends at one that it does not find, and says which ones it gave up', async () => {
      const [one, other] = [await readyCheckpoint(org, pod.id), await readyCheckpoint(org, pod.id)];
      const { code, out } = await call('deprecate', one.checkpointId, newId(), other.checkpointId, '-o', 'json');
      const [first, second] = out.split('\n');
      expect([code, JSON.parse(first ?? '')]).toEqual([4, { checkpoint_id: one.checkpointId }]);
      expect(second).toContain('{');
      expect((await statusesOf(other.checkpointId, one.checkpointId)).sort()).toEqual(['deprecated', 'ready']);
    });

    it('refuses a name of several, and deprecates none', async () => {
      const [one, other] = [
        await readyCheckpoint(org, pod.id, { name: 'twice' }),
        await readyCheckpoint(org, pod.id, { name: 'twice' }),
      ];
      expect((await call('deprecate', 'twice')).code).toBe(2);
      expect(await statusesOf(one.checkpointId, other.checkpointId)).toEqual(['ready', 'ready']);
      expect((await call('deprecate')).code).toBe(2);
    });
  });

  describe('policy', () => {
    const paths = (id: string) => `/v1/policy/pipeline/${id}`;

    it('pauses a policy, lets it go on, and changes how much it keeps, by its name or its id', async () => {
      const name = `hourly-${newId()}`;
      const id = await buildPolicy(org, ofNamespace(pod.clusterId), heartbeat(), { name });
      const stored = async () => (await org.viewer.get(paths(id))).body;
      expect(await call('policy', 'pause', name)).toMatchObject({ code: 0, out: `${id}\n` });
      expect(await stored()).toMatchObject({ paused: true, keep_last: null });
      expect((await call('get', 'policies', name)).out).toMatch(/ paused .* all /);
      expect((await call('policy', 'keep', id, '3')).code).toBe(0);
      expect((await call('policy', 'resume', id)).code).toBe(0);
      expect(await stored()).toMatchObject({ paused: false, keep_last: 3 });
      const { out } = await call('policy', 'keep', id, 'all', '-o', 'json');
      expect(JSON.parse(out)).toMatchObject({ id, keep_last: null });
    });

    it('keeps as many as before if somebody else has changed that meanwhile', async () => {
      const id = await buildPolicy(org, ofNamespace(pod.clusterId), heartbeat(), { keepLast: 5 });
      const { code, err } = await call('policy', 'keep', id, '9', '--current', 'all');
      expect([code, err]).toEqual([3, expect.stringContaining('keep_last is 5, and not null')]);
      expect((await call('policy', 'keep', id, '9', '--current', '5')).code).toBe(0);
      expect((await call('policy', 'keep', id, 'all', '--current', 'many')).code).toBe(2);
      expect((await org.viewer.get(paths(id))).body.keep_last).toBe(9);
    });

    it('refuses what is no number, and a policy that is not there', async () => {
      const id = await buildPolicy(org, ofNamespace(pod.clusterId));
      expect((await call('policy', 'keep', id, 'few')).code).toBe(2);
      expect((await call('policy', 'keep', id, '0')).code).toBe(2);
      expect((await call('policy', 'keep', id, '1001')).code).not.toBe(0);
      expect((await call('policy', 'pause', newId())).code).toBe(4);
    });
  });

  describe('logs', () => {
    it('prints progress, stages and the result as they arrive', async () => {
      const actionId = (await call('checkpoint', 'pod', 'trainer')).out.trim();
      const following = start('logs', actionId, '--follow');
      const checkpointId = await takeUp(org, actionId, { container_name: 'main' });
      const progress = { stage: 'dump', bytes_done: 1, bytes_total: 2 };
      expect((await org.controller.put(`/v1/checkpoints/progress/${checkpointId}`, progress)).status).toBe(204);
      await following.printed('main: dump, 1 of 2 bytes');
      ok(await putInfo(org, checkpointId, INFO));
      await following.printed(/^ {2}\S+ +[\d.]+ ms/m);
      expect(following.child.exitCode).toBeNull();
      ok(await putUploaded(org, checkpointId, '/checkpoints/1'));
      const { code, out } = await following.ended;
      expect(code).toBe(0);
      expect(out).toContain(`checkpoint ${checkpointId} of training/trainer`);
      expect(out).toMatch(/^succeeded in /m);
      const once = await call('logs', checkpointId);
      expect(once.out).toBe(out);
    });

    it('ends with 1 if the attempt fails, and names the stage', async () => {
      const actionId = (await call('checkpoint', 'pod', 'trainer')).out.trim();
      const checkpointId = await takeUp(org, actionId, { container_name: 'main' });
      ok(await putInfo(org, checkpointId, undefined, { error: 'no space left' }));
      expect(await call('logs', actionId, '--follow')).toMatchObject({
        code: 1,
        out: expect.stringContaining('failed: no space left'),
      });
    });
  });

  describe('during an outage', () => {
    const actionId = '0199f3c2-0001-7000-8000-000000000001';
    /** More than the requests of one look. */
    const LOST = 6;
    const answers = (status: string): ((path: string) => unknown) => {
      let lost = 0;
      return (path) => {
        if (path === `/v1/actions/${actionId}`) return { action_id: actionId, checkpoint_ids: [] };
        if (path === '/v1/operations') return [];
        if (path === '/v1/restore/pod') return actionId;
        if (path !== `/v1/checkpoint/status/${actionId}`) return undefined;
        return lost++ < LOST ? NO_ANSWER : { status, details: null };
      };
    };

    it('goes on waiting', async () => {
      const { code, out, err } = await callStub(answers('ready'), 'restore', actionId, '--wait');
      expect({ code, out }).toEqual({ code: 0, out: `${actionId}\n` });
      expect(err.match(/Asking again/g)).toHaveLength(1);
    });

    it('goes on following', async () => {
      const { code, err } = await callStub(answers('ready'), 'logs', actionId, '--follow');
      expect({ code, err }).toEqual({ code: 0, err: expect.stringContaining('Asking again') as string });
    });

    it('ends with 5 when its time is over', async () => {
      const never = (path: string): unknown => (path.includes('/status/') ? NO_ANSWER : answers('ready')(path));
      const { code } = await callStub(never, 'restore', actionId, '--wait', '--timeout', '1');
      expect(code).toBe(5);
    });

    it('ends if nothing is known of the action any more', async () => {
      const { code, err } = await callStub(answers('not_found'), 'logs', actionId, '--follow');
      expect({ code, err }).toEqual({ code: 4, err: expect.stringContaining('no longer exists') as string });
    });
  });

  describe('wake and suspend', () => {
    it('print the phases until the profile is as wanted', async () => {
      const { profile_id: id } = await createProfile(org);
      const waking = start('wake', id, '--wait', '--replicas', '2');
      await eventually(async () => expect((await intentOf(org.viewer, id))?.desired_replicas).toBe(2));
      await reportPhase(org.controller, id, 'Loading');
      await waking.printed('Loading');
      const generation = Number((await intentOf(org.viewer, id))?.generation);
      await reportPhase(org.controller, id, 'Ready', generation);
      expect(await waking.ended).toMatchObject({ code: 0, out: `${id} Active Fulfilled\n` });
    });

    it('end with 1 if another request takes the place of this one', async () => {
      const { profile_id: id } = await createProfile(org);
      const waking = start('wake', id, '--wait');
      await eventually(async () => expect(await intentOf(org.viewer, id)).toBeDefined());
      expect((await call('suspend', id)).code).toBe(0);
      expect(await waking.ended).toMatchObject({ code: 1, err: expect.stringContaining('Superseded') });
    });

    it('end well if a later request for more replicas is fulfilled', async () => {
      const { profile_id: id } = await createProfile(org);
      const waking = start('wake', id, '--wait');
      await eventually(async () => expect(await intentOf(org.viewer, id)).toBeDefined());
      const more = { desired_state: 'Active', desired_replicas: 2 };
      expect((await org.operator.post(`/v1/inference/profiles/${id}/state`, more)).status).toBe(202);
      await reportPhase(org.controller, id, 'Ready', Number((await intentOf(org.viewer, id))?.generation));
      expect(await waking.ended).toMatchObject({ code: 0, out: `${id} Active Fulfilled\n` });
    });

    it('end with 1 if a later request for fewer replicas takes the place of this one', async () => {
      const { profile_id: id } = await createProfile(org);
      const waking = start('wake', id, '--wait', '--replicas', '3');
      await eventually(async () => expect(await intentOf(org.viewer, id)).toBeDefined());
      expect((await call('wake', id, '--replicas', '2')).code).toBe(0);
      expect(await waking.ended).toMatchObject({ code: 1, err: expect.stringContaining('Superseded') });
    });

    it('take no replicas away from a profile that is awake, and respect its minimum', async () => {
      const { profile_id: id } = await createProfile(org, { min_replicas: 2 });
      const wanted = async () => (await intentOf(org.viewer, id))?.desired_replicas;
      expect(await call('wake', id)).toMatchObject({ code: 0, err: 'ccp: 2 replicas are requested: its minimum.\n' });
      expect(await wanted()).toBe(2);
      expect(await call('wake', id, '--replicas', '5')).toMatchObject({ code: 0, err: '' });
      expect(await call('wake', id)).toMatchObject({ code: 0, err: 'ccp: 5 replicas are requested: as before.\n' });
      expect(await wanted()).toBe(5);
      expect((await call('suspend', id)).code).toBe(0);
      expect((await call('wake', id)).code).toBe(0);
      expect(await wanted()).toBe(2);
      expect((await call('wake', id, '--replicas', '1')).code).toBe(0);
      expect(await wanted()).toBe(1);
    });

    it('may be repeated if all answers are lost: without a number, they take no replicas away', async () => {
      const answer = (path: string): unknown =>
        path.endsWith('/state') ? NO_ANSWER : path.endsWith('/capacity-intents') ? [] : { min_replicas: 2 };
      const { code, out, err } = await callStub(answer, 'wake', 'llama', '-o', 'json');
      expect([code, JSON.parse(out)]).toMatchObject([5, { failure: { code: 'service_unreachable' } }]);
      expect(JSON.parse(out)).not.toHaveProperty('failure.idempotency_key');
      expect(err).toContain('Repeat the command: it is safe.');
      const named = await callStub(answer, 'wake', 'llama', '--replicas', '2');
      expect(named).toMatchObject({
        code: 5,
        err: expect.stringMatching(/repeat .* for llama with --idempotency-key /),
      });
    });

    it('refuse a key for as many replicas as are wanted at the time: the request may be another one', async () => {
      const { code, err } = await callStub(() => undefined, 'wake', 'llama', '--idempotency-key', 'nightly');
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining('needs --replicas') as string });
      expect(stub?.requests).toEqual([]);
    });

    it('request the same once with a key, whatever stands by then', async () => {
      const { profile_id: id } = await createProfile(org);
      const keyed = ['wake', id, '--replicas', '2', '--idempotency-key', newId()];
      expect((await call(...keyed)).code).toBe(0);
      expect((await call('wake', id, '--replicas', '5')).code).toBe(0);
      expect((await call(...keyed)).code).toBe(0);
      expect((await intentOf(org.viewer, id))?.desired_replicas).toBe(5);
      const suspended = ['suspend', id, '--idempotency-key', newId()];
      expect([(await call(...suspended)).code, (await call(...suspended)).code]).toEqual([0, 0]);
    });

    it('say that there is no such profile', async () => {
      expect((await call('wake', 'nobody')).code).toBe(4);
    });
  });

  describe('route delete', () => {
    it('deletes the route of a model, whatever is in its name, and prints it', async () => {
      await saveRoute(org.operator, 'team/llama 8b');
      expect(await call('route', 'delete', 'team/llama 8b')).toMatchObject({ code: 0, out: 'team/llama 8b\n' });
      expect((await org.viewer.get('/v1/inference/routes')).body).toEqual([]);
      expect((await call('route', 'delete', 'team/llama 8b')).code).toBe(4);
    });
  });

  describe('key change', () => {
    it('changes what is named, finds the key by its name or its id, and prints its id', async () => {
      const { keyId } = await issueKey(service, org, { name: 'support', budget_usd: 5, tenant_id: 'acme' });
      const listed = async () => ((await org.viewer.get('/v1/inference/keys')).body as object[])[0];
      expect(
        await call('key', 'change', 'support', '--budget', '0.5', '--rate', '7', '--models', 'a, b'),
      ).toMatchObject({ code: 0, out: `${keyId}\n` });
      expect(await listed()).toMatchObject({
        budget_usd: 0.5,
        rate_limit_rps: 7,
        models: ['a', 'b'],
        tenant_id: 'acme',
      });
      const freed = await call('key', 'change', keyId, '--no-budget', '--no-rate', '--all-models', '--no-tenant');
      expect(freed.code).toBe(0);
      const free = { name: 'support', budget_usd: null, rate_limit_rps: null, models: [], tenant_id: null };
      expect(await listed()).toMatchObject(free);
    });

    it('changes nothing if somebody else has changed it meanwhile', async () => {
      const { keyId } = await issueKey(service, org, { budget_usd: 5, models: ['a', 'b'] });
      const budget = (...options: string[]) => call('key', 'change', keyId, '--budget', '9', ...options);
      for (const [options, words] of [
        [['--current-budget', '4'], 'budget_usd is 5, and not 4'],
        [['--current-budget', 'none', '--current-rate', '7'], 'rate_limit_rps is null, and not 7'],
        [['--current-models', 'all'], 'models is ["a","b"], and not []'],
      ] as const) {
        const { code, err } = await budget(...options);
        expect([code, err]).toEqual([3, expect.stringContaining(words)]);
      }
      const known = ['--current-budget', '5', '--current-rate', 'none', '--current-models', 'a,b'];
      expect((await budget(...known)).code).toBe(0);
      expect(((await org.viewer.get('/v1/inference/keys')).body as object[])[0]).toMatchObject({ budget_usd: 9 });
    });

    it.each([
      ['nothing', [], 'Name what to change'],
      ['no amount', ['--budget', '5 dollars'], '--budget: "5 dollars"'],
      ['no rate', ['--rate', '0'], '--rate: "0"'],
      ['only what it has', ['--current-budget', '5'], 'Name what to change'],
      ['no amount that it has', ['--rate', '1', '--current-budget', 'all'], '--current-budget: "all"'],
      ['some models and all', ['--models', 'a', '--all-models'], 'cannot be used'],
    ])('sends nothing if it names %s', async (_what, options, message) => {
      const { code, err } = await callStub(() => undefined, 'key', 'change', 'support', ...options);
      expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) as string });
      expect(stub?.requests).toEqual([]);
    });

    it('says that there is no such key, and that one is revoked', async () => {
      expect((await call('key', 'change', 'nobody', '--rate', '1')).code).toBe(4);
      const { keyId } = await issueKey(service, org);
      await org.operator.delete(`/v1/inference/keys/${keyId}`);
      expect((await call('key', 'change', keyId, '--rate', '1')).code).toBe(3);
    });
  });
});
