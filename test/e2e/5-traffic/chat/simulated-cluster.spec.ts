import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import {
  settledAccountOf,
  createKey,
  question,
  RawChat,
  routed,
  routeTo,
  serviceFor,
  usageOf,
  type Key,
} from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { Fleet } from '../../../support/fleet/fleet';
import { InferenceWorker } from '../../../support/inference-worker';
import { intentOf, setState } from '../../../support/profiles';
import type { Organisation, Service } from '../../../support/service';

/** As fast as two shared processors allow. */
const SPEED = 100;
/** Times of the simulated cluster, in milliseconds of real time. */
const COLD_MS = 120_000 / SPEED;
const WITHIN_MS = 20_000;

/** Names of the simulated cluster, which no resolver knows. */
const WORKER_NAMES = /http:\/\/[a-z0-9-]+\.inference\.svc:8000/g;

/**
 * Stands between the simulated cluster and the service, and replaces the cluster's workers by its one real
 * worker.
 */
async function relayTo(service: Service, worker: InferenceWorker): Promise<{ url: string; server: Server }> {
  const server = createServer((message, response) => {
    void buffer(message).then((bytes) => {
      const body = Buffer.from(bytes.toString().replaceAll(WORKER_NAMES, worker.url));
      const { method, url = '', headers } = message;
      const { 'transfer-encoding': _, ...passed } = headers;
      if (body.length > 0) passed['content-length'] = String(body.length);
      const onwards = request(`${service.url}${url}`, { method, headers: passed, agent: false });
      onwards.on('response', (answer) => {
        response.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(response);
      });
      onwards.on('error', () => response.destroy());
      onwards.end(body);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
}

describe('chats with the models of a simulated cluster', () => {
  let worker: InferenceWorker;
  let service: Service;
  let relay: Awaited<ReturnType<typeof relayTo>>;
  let org: Organisation;
  let key: Key;
  let fleet: Fleet;
  let profileId: string;
  let model: string;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
    relay = await relayTo(service, worker);
    org = await service.organisation();
    key = await createKey(org);
    fleet = new Fleet({
      url: relay.url,
      operatorToken: org.operator.token ?? '',
      controllerToken: org.controller.token ?? '',
      nodes: 2,
      checkpointed: 1,
      dedicated: 0,
      speed: SPEED,
      // Only the chats request capacity, and nothing fails.
      askEveryMs: 1e10,
      rebootEveryMs: 0,
      rates: { startFails: 0, checkpointFails: 0, restoreFallsBack: 0, promotionFails: 0 },
    });
    await fleet.start();
    profileId = fleet.profiles[0]?.id ?? '';
    // The profile's estimate of a start is for a cluster in real time.
    model = await routeTo(org, [profileId], { queue_timeout_ms: 600_000 });
  });
  afterAll(async () => {
    await fleet.stop();
    relay.server.close();
    relay.server.closeAllConnections();
    await service.close();
    await worker.close();
  });

  const ask = async (stream: boolean): Promise<RawChat> => {
    const answer = await RawChat.ask(service, key.raw_key, question(model, { stream }));
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('quick')]);
    return answer;
  };
  const starts = async (): Promise<number> =>
    (await service.db.query('select from starts where profile_id = $1', [profileId])).rowCount ?? 0;

  it('start the model once for all of them', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => ask(n % 2 === 0)));
    for (const { headers } of answers) {
      expect(routed(headers)).toEqual({ target: profileId, reason: 'priority', start: 'cold', attempts: '1' });
      expect(Number(headers['x-queue-ms'])).toBeGreaterThan(COLD_MS / 4);
    }
    expect([await starts(), worker.requests.length]).toEqual([1, 20]);
    expect(routed((await ask(true)).headers)).toMatchObject({ start: 'warm' });
  });

  it('restore it from the checkpoint that was taken, and report the time saved', async () => {
    const requested = await org.operator.post(`/v1/inference/profiles/${profileId}/checkpoint`, {});
    expect(requested.status).toBe(202);
    await eventually(async () => {
      const { body } = await org.viewer.get(`/v1/inference/profiles/${profileId}/checkpoint`);
      expect((body as JsonObject).status).toBe('succeeded');
    }, WITHIN_MS);
    await setState(org.operator, profileId, { desired_state: 'Suspended' });
    await eventually(async () => {
      expect(await intentOf(org.viewer, profileId)).toMatchObject({ desired_state: 'Suspended', status: 'Fulfilled' });
      expect(fleet.serves(profileId)).toBe(false);
    }, WITHIN_MS);
    // The cold start took longer than any restore takes here, however slow the machine is.
    await service.db.query("update starts set began_at = began_at - interval '1 minute' where profile_id = $1", [
      profileId,
    ]);
    // Saving a route makes the service read it again, with all that its decisions use.
    await org.operator.post('/v1/inference/routes', { logical_model: model, queue_timeout_ms: 500_000 });

    const { headers } = await ask(true);
    expect(routed(headers)).toEqual({ target: profileId, reason: 'priority', start: 'restored', attempts: '1' });
    const usage = (await usageOf(service, model, 22)).at(-1);
    expect(usage).toMatchObject({ activation_path: 'restore', queue_ms: Number(headers['x-queue-ms']) });
    const { rows } = await service.db.query<{ took_ms: number }>(
      `select (extract(epoch from ready_at - began_at) * 1000)::float8 as took_ms from starts
       where profile_id = $1 and ready_at is not null order by began_at limit 2`,
      [profileId],
    );
    const [coldMs = NaN, restoredMs = NaN] = rows.map(({ took_ms: ms }) => ms);
    expect(usage?.cold_start_avoided_ms).toBe(Math.max(Math.round(coldMs - restoredMs), 0));
    expect(usage?.cold_start_avoided_ms).toBeGreaterThan(0);
    expect(await starts()).toBe(2);
    expect((await settledAccountOf(service, key)).requests).toBe(22);
    expect(fleet.faults).toEqual([]);
  });
});
