import type { ClientRequest } from 'node:http';
import { HeldChats } from '../../../../src/5-traffic/chat/held-chats';
import { coldProfile, createKey, question, RawChat, readyProfile, routeTo, serviceFor } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { InferenceWorker } from '../../../support/inference-worker';
import type { Service } from '../../../support/service';

const LARGEST_BYTES = 16 * 1024 * 1024;
const WAITS_AN_HOUR = { queue_timeout_ms: 3_600_000 };

describe('chats of one organisation that wait for a cold model', () => {
  let worker: InferenceWorker;
  let service: Service;
  let sent: ClientRequest[];

  beforeAll(async () => {
    worker = await InferenceWorker.start();
  });
  afterAll(() => worker.close());
  beforeEach(async () => {
    sent = [];
    service = await serviceFor(worker);
  });
  afterEach(() => service.close());

  /** Sends eight chats to a model that nobody starts. @returns the statuses of those that are answered */
  async function flood(text: string): Promise<number[]> {
    const org = await service.organisation();
    const { raw_key: key } = await createKey(org);
    const model = await routeTo(org, [await coldProfile(org)], WAITS_AN_HOUR);
    const body = Buffer.from(JSON.stringify(question(model, { messages: [{ role: 'user', content: text }] })));
    const statuses: number[] = [];
    sent = Array.from({ length: 8 }, () => {
      const chat = RawChat.send(service, key, body);
      chat.on('error', () => undefined);
      chat.on('response', (answer) => {
        statuses.push(answer.statusCode ?? 0);
        answer.resume();
      });
      return chat;
    });
    await eventually(() => expect([held().size, statuses]).toEqual([6, [503, 503]]));
    return statuses;
  }
  const held = () => service.app.get(HeldChats);
  /** @returns what a chat of another organisation with a ready model is answered */
  async function another(text: string): Promise<number> {
    const org = await service.organisation();
    const { raw_key: key } = await createKey(org);
    const model = await routeTo(org, [await readyProfile(org, worker)]);
    const answer = await RawChat.ask(service, key, question(model, { messages: [{ role: 'user', content: text }] }));
    await answer.bytes();
    return answer.status;
  }
  const leave = async () => {
    for (const chat of sent) chat.destroy();
    await eventually(() => expect(held().size).toBe(0));
  };

  it('leave a quarter of the memory for chats to other organisations', async () => {
    await flood('x'.repeat(LARGEST_BYTES - 1_024));
    expect([await another('Hello!'), await another('x'.repeat(8 * 1024 * 1024))]).toEqual([200, 200]);
    await leave();
    // All of it is given back.
    await flood('x'.repeat(LARGEST_BYTES - 1_024));
    await leave();
  });

  it('leave a quarter of the chats to other organisations', async () => {
    Object.assign(held(), { most: 8 });
    await flood('Hello!');
    expect(await another('Hello!')).toBe(200);
    await leave();
  });
});
