import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Organisation } from '../../../support/service';
import {
  askCheckpoint,
  buildCluster,
  buildPod,
  ok,
  putUploaded,
  reportRestore,
  takeUp,
  type RestoreEvent,
  type RunningPod,
} from '../../../support/workloads';

describe('a restore of a pod with two containers', () => {
  let service: Service;
  let org: Organisation;
  let pod: RunningPod;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    pod = await buildPod(org, await buildCluster(org), { containers: ['main', 'sidecar'] });
  });
  afterAll(() => service.close());

  interface Asked {
    readonly actionId: string;
    /** Of the request, and of the other container. */
    readonly main: string;
    readonly sidecar: string;
  }

  async function asked(): Promise<Asked> {
    const source = await askCheckpoint(org, pod.uid);
    const main = await takeUp(org, source, { container_name: 'main' });
    const sidecar = await takeUp(org, source, { container_name: 'sidecar' });
    for (const id of [main, sidecar]) ok(await putUploaded(org, id, `/ck/${id}`));
    const actionId = ok(await org.operator.post('/v1/restore/pod', { action_id: source, reason: 'manual' })).text;
    return { actionId, main, sidecar };
  }
  const event = async (kind: RestoreEvent, { actionId }: Asked, uuid: string, members: object) =>
    ok(await reportRestore(org, kind, { restore_uuid: uuid, action_id: actionId, ...members }));
  const stateOf = async ({ actionId }: Asked) => {
    const { body } = await org.viewer.get(`/v1/checkpoint/status/${actionId}`);
    return [body.status, body.details];
  };
  const of = (checkpoint: string) => ({ checkpoint_id: checkpoint.toUpperCase() });

  it('goes on until both are restored', async () => {
    const request = await asked();
    const [main, sidecar] = [newId(), newId()];
    await event('restore_start', request, main, of(request.main));
    await event('restore_start', request, sidecar, of(request.sidecar));
    await event('restore_success', request, main, of(request.main));
    expect(await stateOf(request)).toEqual(['processing', null]);
    await event('restore_success', request, sidecar, of(request.sidecar));
    expect(await stateOf(request)).toEqual(['ready', null]);
  });

  it('has failed if one of them did, and is ready once a later attempt restored it', async () => {
    const request = await asked();
    await event('restore_error', request, newId(), { ...of(request.sidecar), error_message: 'no space' });
    await event('restore_success', request, newId(), of(request.main));
    expect(await stateOf(request)).toEqual(['error', 'no space']);
    const again = newId();
    await event('restore_start', request, again, of(request.sidecar));
    expect(await stateOf(request)).toEqual(['error', 'no space']);
    await event('restore_success', request, again, of(request.sidecar));
    expect(await stateOf(request)).toEqual(['ready', null]);
    // What is restored stays restored.
    await event('restore_error', request, newId(), { ...of(request.sidecar), error_message: 'late' });
    expect(await stateOf(request)).toEqual(['ready', null]);
  });

  it('knows a container by the name that its events give, one after the other', async () => {
    const request = await asked();
    const named = (container: string) => ({ ...of(request.main), metadata: { container_name: container } });
    await event('restore_success', request, newId(), named('main'));
    expect(await stateOf(request)).toEqual(['processing', null]);
    await event('restore_success', request, newId(), named('sidecar'));
    expect(await stateOf(request)).toEqual(['ready', null]);
  });

  it('is ready by one attempt that stands for the pod, and continues when another container begins', async () => {
    const request = await asked();
    await event('restore_success', request, newId(), of(request.main));
    expect(await stateOf(request)).toEqual(['ready', null]);
    const sidecar = newId();
    await event('restore_start', request, sidecar, of(request.sidecar));
    expect(await stateOf(request)).toEqual(['processing', null]);
    const { rows } = await service.db.query(
      'select ended_at, answer_by > clock_timestamp() as waits from actions where id = $1',
      [request.actionId],
    );
    expect(rows).toEqual([{ ended_at: null, waits: true }]);
    await event('restore_error', request, sidecar, { ...of(request.sidecar), error_message: 'no space' });
    expect(await stateOf(request)).toEqual(['error', 'no space']);
  });

  it('is ready by one attempt that names the checkpoint of another container than the request', async () => {
    const request = await asked();
    const uuid = newId();
    await event('restore_start', request, uuid, of(request.sidecar));
    expect(await stateOf(request)).toEqual(['processing', null]);
    await event('restore_success', request, uuid, of(request.sidecar));
    expect(await stateOf(request)).toEqual(['ready', null]);
  });

  describe('of which one checkpoint became ready after the request', () => {
    const named = (container: string) => ({ metadata: { container_name: container } });

    async function askedInPart(): Promise<Asked & { readonly uuid: string }> {
      const source = await askCheckpoint(org, pod.uid);
      const main = await takeUp(org, source, { container_name: 'main' });
      const sidecar = await takeUp(org, source, { container_name: 'sidecar' });
      ok(await putUploaded(org, main, `/ck/${main}`));
      const body = { action_id: source, reason: 'manual', allow_partial: true };
      const actionId = ok(await org.operator.post('/v1/restore/pod', body)).text;
      service.clock.advance(1);
      return { actionId, main, sidecar, uuid: newId() };
    }

    it('is ready without that one', async () => {
      const request = await askedInPart();
      ok(await putUploaded(org, request.sidecar, `/ck/${request.sidecar}`));
      await event('restore_success', request, request.uuid, named('main'));
      expect(await stateOf(request)).toEqual(['ready', null]);
    });

    it('stays ready without that one, even if its node repeats the report and adds a profile', async () => {
      const request = await askedInPart();
      await event('restore_success', request, request.uuid, named('main'));
      ok(await putUploaded(org, request.sidecar, `/ck/${request.sidecar}`));
      await event('restore_success', request, request.uuid, named('main'));
      expect(await stateOf(request)).toEqual(['ready', null]);
      ok(await org.controller.put(`/v1/restores/${request.uuid}/profile`, { spans: [] }));
      expect(await stateOf(request)).toEqual(['ready', null]);
    });

    it('needs that one as soon as an attempt names it', async () => {
      const request = await askedInPart();
      await event('restore_success', request, request.uuid, named('main'));
      ok(await putUploaded(org, request.sidecar, `/ck/${request.sidecar}`));
      const late = newId();
      await event('restore_start', request, late, named('sidecar'));
      expect(await stateOf(request)).toEqual(['processing', null]);
      await event('restore_success', request, late, named('sidecar'));
      expect(await stateOf(request)).toEqual(['ready', null]);
    });
  });

  it('asks for all that is ready, though the clock of the replica that stored it is ahead', async () => {
    const source = await askCheckpoint(org, pod.uid);
    for (const name of ['main', 'sidecar']) {
      const id = await takeUp(org, source, { container_name: name });
      ok(await putUploaded(org, id, `/ck/${id}`));
    }
    await service.db.query(
      "update checkpoints set uploaded_at = uploaded_at + interval '3 seconds' where action_id = $1",
      [source],
    );
    const body = { action_id: source, reason: 'manual' };
    const request = { actionId: ok(await org.operator.post('/v1/restore/pod', body)).text, main: '', sidecar: '' };
    await event('restore_success', request, newId(), { metadata: { container_name: 'main' } });
    expect(await stateOf(request)).toEqual(['processing', null]);
  });

  it('stays ready whatever is repeated, even if it is found to lack a container', async () => {
    const request = await asked();
    const [main, sidecar] = [newId(), newId()];
    await event('restore_success', request, main, { metadata: { container_name: 'main' } });
    await event('restore_start', request, sidecar, { metadata: { container_name: 'sidecar' } });
    ok(await org.controller.post('/v1/actions/upload', { action_id: request.actionId, status: 'ready' }));
    await event('restore_success', request, main, { metadata: { container_name: 'main' } });
    expect(await stateOf(request)).toEqual(['ready', null]);
    ok(await org.controller.put(`/v1/restores/${main}/profile`, { spans: [] }));
    expect(await stateOf(request)).toEqual(['ready', null]);
  });

  it('stays ready after its node reported so, whatever event repeats itself', async () => {
    const request = await asked();
    const uuid = newId();
    await event('restore_start', request, uuid, of(request.main));
    ok(await org.controller.post('/v1/actions/upload', { action_id: request.actionId, status: 'ready' }));
    await event('restore_start', request, uuid, of(request.main));
    expect(await stateOf(request)).toEqual(['ready', null]);
  });

  it('ends once, and rightly, when the ends of many restores meet on two replicas', async () => {
    const replica = await service.replica();
    const callers = [org, { ...org, controller: replica.as(org.controller.token) }];
    const requests = await Promise.all(Array.from({ length: 8 }, asked));
    await Promise.all(
      requests.flatMap(({ actionId }) =>
        ['main', 'sidecar'].map(async (container, turn) =>
          ok(
            await reportRestore(callers[turn] ?? org, 'restore_success', {
              restore_uuid: newId(),
              action_id: actionId,
              metadata: { container_name: container },
            }),
          ),
        ),
      ),
    );
    for (const request of requests) expect(await stateOf(request)).toEqual(['ready', null]);
  });
});
