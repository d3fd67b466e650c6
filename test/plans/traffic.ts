import { newId } from '../../src/1-platform/common/ids';
import { Sweeps } from '../../src/1-platform/scheduling/sweeps';
import { buildPod } from '../support/builders';
import { CHAT, coldProfile, createKey, question, readyProfile, routeTo } from '../support/chat';
import { operations } from '../support/description';
import { eventually } from '../support/eventually';
import { fill, type Things } from '../support/everything';
import { CALLS, QUERIES } from '../support/everything-calls';
import { authorized, resolve, sendTelemetry } from '../support/inference';
import type { InferenceWorker } from '../support/inference-worker';
import { cluster, syncObjects } from '../support/inventory';
import { ack, eventsOf, read } from '../support/outbox';
import { buildPolicy, heartbeat, ofNamespace } from '../support/policies';
import { buildEvent, report, reportEvent, setState } from '../support/profiles';
import { body1, HEADERS_1 } from '../support/remote-write';
import type { Answer, Caller, Organisation, Replica, Service } from '../support/service';

/** @throws an error with the answer unless the request was served: a refused one runs other statements */
function served(answer: Answer, path = ''): Answer {
  if (answer.status >= 400) throw new Error(`${path} answered ${answer.status}: ${answer.text}`);
  return answer;
}

/** What serves a model, and how to reach it. */
interface Busy {
  readonly clusterId: string;
  readonly profileId: string;
  /** A profile without workers. */
  readonly resting: string;
  readonly model: string;
  readonly key: Caller;
}

/** Every operation once or twice, and what a fleet does all day many times. */
export class Traffic {
  constructor(
    private readonly service: Service,
    private readonly replica: Replica,
    private readonly org: Organisation,
    private readonly worker: InferenceWorker,
  ) {}

  async run(rounds: number): Promise<void> {
    const { as } = this.replica;
    const things = await fill({ as, clock: this.service.clock, db: this.service.db }, this.org);
    await this.day(rounds);
    await this.lists();
    for (const query of QUERIES) served(await this.org.operator.get(query(things)), query(things));
    await this.sweeps();
    // Last, because these calls end the rows.
    await this.byId(things);
  }

  /** What controllers, agents, routers, Prometheus, clients of models and the console do again and again. */
  private async day(rounds: number): Promise<void> {
    const { org } = this;
    const { operator, controller, viewer } = org;
    const busy = await this.serving();
    const policyId = await buildPolicy(org, ofNamespace(busy.clusterId), heartbeat(), { keepLast: 2 });
    for (let round = 0; round < rounds; round++) {
      const pod = await this.reports(busy, round);
      served(await setState(operator, busy.resting, { desired_state: round % 2 === 0 ? 'Active' : 'Suspended' }));
      await this.checkpointAndRestore(pod, policyId);
      const events = eventsOf(await read(controller, { consumer_id: 'busy', limit: '10' }));
      served(await ack(controller, 'busy', events.at(-1)?.id ?? 0));
      for (const path of ['routes/status', 'activations', 'profiles', 'capacity-intents', `profiles/${busy.profileId}`])
        served(await viewer.get(`/v1/inference/${path}`));
      for (const path of ['pods?limit=50', 'nodes?limit=50', 'jobs?limit=50', 'checkpoints?limit=50', 'cluster'])
        served(await viewer.get(`/v1/${path}`));
      served(await operator.get('/v1/audit?limit=50'));
    }
    served(await operator.patch(`/v1/policy/pipeline/${policyId}`, { keep_last: 1 }));
  }

  /** The hottest of it: reports and requests for models, and no lists. */
  async rush(rounds: number): Promise<void> {
    const busy = await this.serving();
    for (let round = 0; round < rounds; round++) await this.reports(busy, round);
  }

  private async serving(): Promise<Busy> {
    const { org } = this;
    const clusterId = await cluster(org, 'busy');
    const profileId = await readyProfile(org, this.worker);
    const resting = await coldProfile(org);
    const model = await routeTo(org, [profileId]);
    const { raw_key: rawKey } = await createKey(org, { budget_usd: 1_000 });
    const key = this.replica.as(rawKey);
    await this.until(() => key.post(CHAT, question(model)), 200);
    return { clusterId, profileId, resting, model, key };
  }

  /** @returns the pod that was reported */
  private async reports(
    { clusterId, profileId, model, key }: Busy,
    round: number,
  ): Promise<ReturnType<typeof buildPod>> {
    const { controller } = this.org;
    // A changed pod, and the same again.
    const pod = buildPod(`pod-${round % 2}`);
    await syncObjects(controller, clusterId, pod);
    await syncObjects(controller, clusterId, pod);
    served(await report(controller, profileId, { endpoint: this.worker.url }));
    served(await report(controller, profileId, { ready: round % 2 === 0, endpoint: this.worker.url }));
    served(await report(controller, profileId, { endpoint: this.worker.url }));
    served(await reportEvent(controller, buildEvent(clusterId, profileId)));
    await this.metrics(controller, round);
    const request = await authorized(key, model);
    served(await resolve(controller, request));
    served(await sendTelemetry(controller, request, { profile_id: profileId, end_to_end_latency_ms: 5 }));
    await this.until(() => key.post(CHAT, question(model)), 200);
    return pod;
  }

  private async metrics(controller: Caller, round: number): Promise<void> {
    const labels = { __name__: 'DCGM_FI_DEV_GPU_UTIL', gpu: '0', UUID: 'GPU-busy', modelName: 'L4', Hostname: 'busy' };
    const samples: [number, number][] = [[this.service.clock.now().getTime() + round, round]];
    const known = { labels, samples };
    const unknown = { labels: { ...labels, UUID: `GPU-${round}` }, samples };
    served(await controller.send('post', '/v1/metrics/write', body1(known, unknown), HEADERS_1));
  }

  private async checkpointAndRestore(pod: { metadata: { uid: string } }, policyId: string): Promise<void> {
    const { operator, controller } = this.org;
    const actionId = served(await operator.post('/v1/checkpoint/pod', { pod_id: pod.metadata.uid })).text;
    // As if a beat had requested it.
    await this.service.db.query('update actions set policy_id = $2, beat_at = clock_timestamp() where id = $1', [
      actionId,
      policyId,
    ]);
    const begun = { action_id: actionId, name: `busy-${newId()}`, container_name: 'main' };
    const checkpointId = served(await controller.post('/v1/checkpoints', begun)).text;
    const info = { duration: 5, io: 1, components: [] };
    served(await controller.put(`/v1/checkpoints/progress/${checkpointId}`, { stage: 'dump' }));
    served(await controller.put(`/v1/checkpoints/info/${checkpointId}`, { gpu: 'L4', platform: 'linux', info }));
    served(await controller.post(`/v1/checkpoints/uploaded/${checkpointId}`, { restore_path: '/checkpoint' }));
    const restore = served(await operator.post('/v1/restore/pod', { action_id: actionId, reason: 'manual' }));
    const event = { restore_uuid: newId(), action_id: restore.text, checkpoint_id: checkpointId };
    served(await controller.post('/v1/restores/events/restore_start', event));
    served(await controller.post('/v1/restores/events/restore_success', event));
  }

  /** What no id is needed for. */
  private async lists(): Promise<void> {
    const lists = operations().filter(
      ({ method, path, parameters }) =>
        method === 'get' && !path.includes('{') && parameters.every(({ required }) => required !== true),
    );
    for (const { path, roles } of lists) {
      const { operator, controller, admin } = this.org;
      const caller = roles.includes('operator') ? operator : roles.includes('controller') ? controller : admin;
      const answer = await caller.get(path);
      // Some find nothing, or want one of two parameters: `QUERIES` and `CALLS` have these.
      if (answer.status !== 404 && answer.status !== 400) served(answer, path);
    }
  }

  private async sweeps(): Promise<void> {
    for (const name of this.replica.app.get(Sweeps)['sweeps'].keys()) await this.replica.sweep(name);
  }

  private async byId(things: Things): Promise<void> {
    const refused: string[] = [];
    for (const [id, call] of Object.entries(CALLS)) {
      const { path, body } = call(things);
      const { method = '' } = operations().find((one) => one.id === id) ?? {};
      const answer = await this.org.admin.send(method, path, body, {});
      if (answer.status >= 400) refused.push(`${id} ${path}: ${answer.status} ${answer.text.slice(0, 200)}`);
    }
    if (refused.length > 0) throw new Error(refused.join('\n'));
  }

  /** A replica learns of a new route and worker a moment later. */
  private async until(call: () => Promise<{ status: number; text: string }>, status: number): Promise<void> {
    await eventually(async () => {
      const answer = await call();
      if (answer.status !== status) throw new Error(`answered ${answer.status}: ${answer.text}`);
    });
  }
}
