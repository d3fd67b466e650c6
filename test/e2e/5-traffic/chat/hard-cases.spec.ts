import { setTimeout as sleep } from 'node:timers/promises';
import { WaitingRoom } from '../../../../src/5-traffic/chat/waiting-room';
import { ProfileLoads } from '../../../../src/5-traffic/routes/choice/profile-loads';
import { RoutingTables } from '../../../../src/5-traffic/routes/choice/routing-tables.service';
import { Draining } from '../../../../src/1-platform/http/admission/draining';
import {
  coldProfile,
  createKey,
  question,
  RawChat,
  readyProfile,
  routed,
  routeTo,
  serviceFor,
  usageOf,
  type Key,
} from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { letExpire } from '../../../support/inference';
import { answers, completionOf, InferenceWorker, later, refuses, streams } from '../../../support/inference-worker';
import { onThisMachine } from '../../../support/machine';
import { intentOf, report } from '../../../support/profiles';
import type { Organisation, Service } from '../../../support/service';

type Behaviour = Parameters<InferenceWorker['behaves']>[0];

/** A worker that answers each request on command, in their order. */
function heldBack(): { behaviour: Behaviour; waiting: number; letOneGo: () => void } {
  const held: (() => void)[] = [];
  return {
    behaviour: async (exchange) => {
      await new Promise<void>((resolve) => {
        held.push(resolve);
        exchange.gone.addEventListener('abort', () => resolve());
      });
      if (!exchange.gone.aborted) await answers()(exchange);
    },
    get waiting() {
      return held.length;
    },
    letOneGo: () => held.shift()?.(),
  };
}

/** Answers as an engine that classifies with guided decoding; any other request fails. */
const classifies =
  (tier: string, otherwise: Behaviour): Behaviour =>
  async (exchange) => {
    if (exchange.asked.response_format === undefined) return otherwise(exchange);
    const completion = JSON.parse(completionOf(exchange.asked)) as { choices: { message: { content: string } }[] };
    for (const { message } of completion.choices) message.content = JSON.stringify({ tier });
    return refuses(200, JSON.stringify(completion))(exchange);
  };

describe('a chat with several events at a time', () => {
  let failing: InferenceWorker;
  let sound: InferenceWorker;
  let service: Service;
  let org: Organisation;
  let key: Key;

  beforeAll(async () => {
    failing = await InferenceWorker.start();
    sound = await InferenceWorker.start();
    service = await serviceFor(failing, sound);
  });
  afterAll(async () => {
    await service.close();
    await failing.close();
    await sound.close();
  });
  beforeEach(async () => {
    failing.reset();
    sound.reset();
    org = await service.organisation();
    key = await createKey(org);
  });

  const ask = (model: string, more: Parameters<typeof question>[1] = {}) =>
    RawChat.ask(service, key.raw_key, question(model, more));
  const admitted = (count: number) =>
    eventually(async () => {
      const { rowCount } = await service.db.query('select from authorizations where key_id = $1', [key.key_id]);
      expect(rowCount).toBe(count);
    });

  it('is tried elsewhere if its worker breaks off within the first event', async () => {
    failing.behaves(async ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write('data: {"choices":[{"ind');
      await sleep(20);
      response.socket?.destroy();
    });
    const [first, second] = [await readyProfile(org, failing), await readyProfile(org, sound)];
    const model = await routeTo(org, [first, second]);
    const answer = await ask(model, { stream: true });
    expect([answer.status, routed(answer.headers).target]).toEqual([200, second]);
    expect(await answer.text()).toContain('data: [DONE]');
    expect((await usageOf(service, model, 1))[0]).toMatchObject({ profile_id: second, upstream_attempts: 2 });
  });

  it.each<[string, Behaviour]>([
    [
      'breaks off',
      async ({ response }) => {
        response.writeHead(400, { 'content-type': 'application/json', 'content-length': 100 });
        response.write('{"error":');
        await sleep(20);
        response.socket?.destroy();
      },
    ],
    [
      'does not end',
      async ({ response, gone }) => {
        response.writeHead(400, { 'content-type': 'application/json' });
        response.write('{"error":{"message":"too long"}}');
        await new Promise<void>((resolve) => gone.addEventListener('abort', () => resolve()));
      },
    ],
  ])('is refused as its worker refused it, even if the refusal %s', async (_, behaviour) => {
    failing.behaves(behaviour);
    const answer = await ask(await routeTo(org, [await readyProfile(org, failing)]));
    expect([answer.status, JSON.parse(await answer.text())]).toMatchObject([400, { code: 'refused_by_worker' }]);
  });

  it('waits for a place as long as its route allows, however long requests usually take', async () => {
    failing.behaves(later(150, answers()));
    const profile = await readyProfile(org, failing, { target_concurrency: 1 });
    // Nothing was measured: the default is a second.
    const model = await routeTo(org, [profile], { queue_timeout_ms: 900 });
    const first = ask(model);
    await eventually(() => expect(failing.underWay).toBe(1));
    const second = await ask(model);
    expect(second.status).toBe(200);
    await second.bytes();
    await (await first).bytes();
  });

  it('waits for the next target if the first fails and the next is only busy', async () => {
    failing.behaves(refuses(500, '{}'));
    const worker = heldBack();
    sound.behaves(worker.behaviour);
    const busy = await readyProfile(org, sound, { target_concurrency: 1 });
    const model = await routeTo(org, [await readyProfile(org, failing), busy]);
    const other = ask(await routeTo(org, [busy]));
    await eventually(() => expect(worker.waiting).toBe(1));
    const asked = ask(model);
    await eventually(() => expect(failing.requests).toHaveLength(1));
    worker.letOneGo();
    await (await other).bytes();
    await eventually(() => expect(worker.waiting).toBe(1));
    worker.letOneGo();
    const answer = await asked;
    expect([answer.status, routed(answer.headers).target]).toEqual([200, busy]);
  });

  it('is served in the order of arrival by a profile that serves two models', async () => {
    const worker = heldBack();
    failing.behaves(worker.behaviour);
    const profile = await readyProfile(org, failing, { target_concurrency: 1 });
    const [one, other] = [await routeTo(org, [profile]), await routeTo(org, [profile])];
    const served = () => failing.requests.map(({ body }) => (JSON.parse(body.toString()) as { user: string }).user);
    const asked: Promise<RawChat>[] = [];
    for (const [model, user] of [
      [one, '1'],
      [one, '2'],
      [other, '3'],
      [one, '4'],
      [other, '5'],
      [one, '6'],
    ] as const) {
      asked.push(ask(model, { user }));
      await admitted(asked.length);
    }
    for (const _ of asked) {
      await eventually(() => expect(worker.waiting).toBe(1));
      worker.letOneGo();
    }
    for (const chat of asked) await (await chat).bytes();
    expect(served()).toEqual(['1', '2', '3', '4', '5', '6']);
  });

  it('gets a place that becomes free through another replica', async () => {
    const worker = heldBack();
    sound.behaves(worker.behaviour);
    const profile = await readyProfile(org, sound, { target_concurrency: 1 });
    const model = await routeTo(org, [profile]);
    const replica = await service.replica();
    const first = ask(model);
    await eventually(() => expect(worker.waiting).toBe(1));
    // Until the other replica knows.
    await eventually(() => expect(replica.app.get(ProfileLoads).inFlight(org.id, profile)).toBe(1));
    const second = RawChat.ask(replica, key.raw_key, question(model));
    await admitted(2);
    await sleep(300);
    expect(worker.waiting).toBe(1);
    worker.letOneGo();
    await (await first).bytes();
    const freed = performance.now();
    await eventually(() => expect(worker.waiting).toBe(1));
    expect(performance.now() - freed).toBeLessThan(onThisMachine(1_500));
    worker.letOneGo();
    expect((await second).status).toBe(200);
  });

  it('ends when its key is revoked, although it was admitted', async () => {
    const profile = await coldProfile(org);
    const waits = ask(await routeTo(org, [profile]));
    await admitted(1);
    expect((await org.operator.delete(`/v1/inference/keys/${key.key_id}`)).status).toBe(204);
    await report(org.controller, profile, { endpoint: sound.url });
    expect((await waits).status).toBe(401);
    expect(sound.requests).toHaveLength(0);
  });

  it('may be repeated if its reservation was given back when the clock was set forward', async () => {
    const profile = await coldProfile(org);
    const waits = ask(await routeTo(org, [profile]));
    await admitted(1);
    await letExpire(service, key.key_id);
    await service.sweep('authorizations');
    await report(org.controller, profile, { endpoint: sound.url });
    const answer = await waits;
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(await answer.text()).toContain('authorization_lost');
    expect(sound.requests).toHaveLength(0);
  });

  it('finds the worker that has replaced the one that it was sent to', async () => {
    const profile = await readyProfile(org, failing);
    const model = await routeTo(org, [profile]);
    await (await ask(model)).bytes();
    failing.behaves(async ({ response }) => {
      await report(org.controller, profile, { endpoint: sound.url });
      await sleep(300);
      response.socket?.destroy();
    });
    const answer = await ask(model);
    expect([answer.status, routed(answer.headers).attempts]).toEqual([200, '2']);
    expect(sound.requests).toHaveLength(1);
  });

  it('passes output on at once, even from a worker that mixes line ends', async () => {
    const worker = { done: false };
    failing.behaves(async ({ response, gone }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(': ping\r\n\r\n');
      response.write('data: {"choices":[{"delta":{"content":"a"}}]}\n\n');
      await new Promise<void>((resolve) => gone.addEventListener('abort', () => resolve()));
      worker.done = true;
    });
    const answer = await ask(await routeTo(org, [await readyProfile(org, failing)]), { stream: true });
    let text = '';
    while (!text.includes('"a"')) text += (await answer.chunk()).toString();
    expect(worker.done).toBe(false);
    answer.leave();
  });

  describe('whose route uses a classifier', () => {
    it("keeps its tier if the tier's first target fails", async () => {
      failing.behaves(classifies('big', refuses(500, '{}')));
      const small = await readyProfile(org, sound);
      const [big, bigger] = [await readyProfile(org, failing), await readyProfile(org, sound)];
      const model = await routeTo(org, [], {
        mode: 'classifier',
        classifier_profile_id: await readyProfile(org, failing),
        targets: [
          { profile_id: small, tier: 'small', priority: 0 },
          { profile_id: big, tier: 'big', priority: 1 },
          { profile_id: bigger, tier: 'big', priority: 2 },
        ],
      });
      const answer = await ask(model);
      expect([answer.status, routed(answer.headers).target]).toEqual([200, bigger]);
    });

    it('wakes a sleeping classifier', async () => {
      const classifier = await coldProfile(org);
      const model = await routeTo(org, [await readyProfile(org, sound)], {
        mode: 'classifier',
        classifier_profile_id: classifier,
      });
      expect((await ask(model)).status).toBe(200);
      await eventually(async () =>
        expect(await intentOf(org.operator, classifier)).toMatchObject({ status: 'Pending' }),
      );
    });

    it('leaves the place at the classifier to the next request that waits for it, at once', async () => {
      let classified = () => {};
      const opened = new Promise<void>((resolve) => (classified = resolve));
      const pick = classifies('one', answers());
      failing.behaves(async (exchange) => {
        if (exchange.asked.response_format !== undefined) await opened;
        await pick(exchange);
      });
      const back = heldBack();
      sound.behaves(back.behaviour);
      const classifier = await readyProfile(org, failing, { target_concurrency: 1 });
      const model = await routeTo(org, [], {
        mode: 'classifier',
        classifier_profile_id: classifier,
        targets: [{ profile_id: await readyProfile(org, sound), tier: 'one', priority: 0 }],
      });
      const other = await routeTo(org, [classifier]);
      const classifying = ask(model);
      await eventually(() => expect(failing.requests).toHaveLength(1));
      const waiting = ask(other);
      await eventually(() => expect(service.app.get(WaitingRoom).size).toBe(1));
      // No other request ends, and no table is read again.
      const reads = jest.spyOn(RoutingTables.prototype as unknown as { lookAfter(): void }, 'lookAfter');
      reads.mockImplementation(() => undefined);
      classified();
      expect((await waiting).status).toBe(200);
      reads.mockRestore();
      await eventually(() => expect(back.waiting).toBe(1));
      back.letOneGo();
      expect((await classifying).status).toBe(200);
    });

    it('sends the classifier no more concurrent requests than it can take', async () => {
      failing.behaves(later(50, classifies('one', refuses(500, '{}'))));
      const model = await routeTo(org, [], {
        mode: 'classifier',
        classifier_profile_id: await readyProfile(org, failing, { target_concurrency: 2 }),
        targets: [{ profile_id: await readyProfile(org, sound, { target_concurrency: 20 }), tier: 'one', priority: 0 }],
      });
      const answered = await Promise.all(
        Array.from({ length: 12 }, async () => {
          const answer = await ask(model);
          await answer.bytes();
          return answer.status;
        }),
      );
      expect(answered).toEqual(Array(12).fill(200));
      expect(failing.highest).toBe(2);
    });
  });
});

describe('a chat that a stop of the service cuts off', () => {
  it('is recorded, and settled', async () => {
    const worker = await InferenceWorker.start();
    const service = await serviceFor(worker);
    const org = await service.organisation();
    const key = await createKey(org);
    worker.behaves(
      streams({ words: ['a', 'b', 'c'], before: (n) => (n > 2 ? new Promise(() => undefined) : undefined) }),
    );
    const model = await routeTo(org, [await readyProfile(org, worker)]);
    const answer = await RawChat.ask(service, key.raw_key, question(model, { stream: true }));
    await answer.chunk();
    // As at the end of the grace period.
    const closing = service.app.get(Draining).close(service.app);
    await sleep(200);
    service.app.getHttpServer().closeAllConnections();
    await closing;
    expect(await usageOf(service, model, 1)).toMatchObject([{ status_code: 499 }]);
    const { rows } = await service.db.query('select settled_at is not null as settled from authorizations');
    expect(rows).toEqual([{ settled: true }]);
    await service.close().catch(() => undefined);
    await worker.close();
  });
});
