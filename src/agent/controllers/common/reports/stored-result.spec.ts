import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { eventually } from '../../../../../test/support/eventually';
import type { Found } from '../../../store/checkpoint-store';
import type { Manifest } from '../../../store/manifest';
import { storeFailed } from '../../../store/store-failures';
import { mayPassIn } from '../requests/may-pass';
import { storedResult, StoreUnavailable } from './stored-result';

const ID = '11111111-1111-4111-8111-111111111111';
const OTHER = '22222222-2222-4222-8222-222222222222';
const GONE = '33333333-3333-4333-8333-333333333333';
const manifest = (id: string) =>
  ({ reference: `/store/checkpoints/${id}`, bytes: 1, stages: [], workload: {} }) as unknown as Manifest;

/** A store that answers when the test says so. */
class StubStore {
  readonly asked: string[] = [];
  most = 0;
  private readonly unanswered = new Map<string, PromiseWithResolvers<Found>>();

  constructor(
    readonly findsAtOnce: number,
    private readonly answersAfterMs?: number,
  ) {}

  async find(id: string): Promise<Found> {
    this.asked.push(id);
    const question = Promise.withResolvers<Found>();
    this.unanswered.set(id, question);
    this.most = Math.max(this.most, this.unanswered.size);
    if (this.answersAfterMs !== undefined && id !== OTHER) void sleep(this.answersAfterMs).then(() => this.answer(id));
    return question.promise;
  }

  answer(id: string, found: Found = manifest(id)): void {
    this.unanswered.get(id)!.resolve(found);
    this.unanswered.delete(id);
  }

  result(id: string, storeSilentAfterMs?: number) {
    return storedResult({ store: this, storeSilentAfterMs }, id);
  }
}

const ids = (count: number) => Array.from({ length: count }, () => randomUUID());

describe('What a store has of a checkpoint', () => {
  it('is waited for in line for as long as the store answers others', async () => {
    const store = new StubStore(1, 10);
    const all = ids(50);
    const beganMs = performance.now();
    const results = await Promise.all(all.map((id) => store.result(id, 100)));
    expect(results.map((result) => result?.reference)).toEqual(all.map((id) => manifest(id).reference));
    expect(performance.now() - beganMs).toBeGreaterThan(100);
    expect([store.asked, store.most]).toEqual([all, 1]);
  });

  it('is looked for by as many questions at once as the store bears', async () => {
    const store = new StubStore(8, 10);
    await Promise.all(ids(50).map((id) => store.result(id, 1_000)));
    expect(store.most).toBe(8);
  });

  it('is known although the store never answers for another one', async () => {
    const store = new StubStore(8, 5);
    const silent = store.result(OTHER, 100).catch((error: unknown) => error);
    const results = await Promise.all(ids(50).map((id) => store.result(id, 100)));
    expect(results.every((result) => result !== undefined)).toBe(true);
    expect(await silent).toBeInstanceOf(StoreUnavailable);
  });

  it('is asked for once more after a directory was silent, except by those who have gone', async () => {
    const store = new StubStore(1);
    const all = [OTHER, GONE, ID];
    const silent = await Promise.all(all.map((id) => store.result(id, 20).catch((error: unknown) => error)));
    for (const [index, id] of all.entries()) {
      expect(silent[index]).toMatchObject({ facts: { cause: 'store_failed', message: expect.stringContaining(id) } });
      expect(mayPassIn()(silent[index])).toBe(true);
    }
    const again = store.result(ID);
    expect(store.asked).toEqual([OTHER]);
    store.answer(OTHER);
    await eventually(() => expect(store.asked).toEqual([OTHER, ID]));
    store.answer(ID);
    expect(await again).toMatchObject({ reference: manifest(ID).reference, bytes: 1 });
    const last = store.result(randomUUID());
    expect(store.asked).toHaveLength(3);
    store.answer(store.asked[2]!, 'missing');
    expect(await last).toBeUndefined();
  });

  it('is one question of all who ask for it, also of those who come after it was given up', async () => {
    const store = new StubStore(1);
    await expect(store.result(ID, 20)).rejects.toBeInstanceOf(StoreUnavailable);
    const both = [store.result(ID, 20), store.result(ID, 20)];
    store.answer(ID);
    expect(await Promise.all(both)).toEqual([expect.objectContaining({ bytes: 1 }), expect.anything()]);
    expect(store.asked).toEqual([ID]);
  });

  it('is not known after a failure of the store, which may pass, and not after other errors', async () => {
    const answers = [
      Promise.reject(storeFailed('it is away')),
      Promise.reject(new Error('stale')),
      Promise.resolve('missing' as const),
    ];
    for (const answer of answers) answer.catch(() => {});
    const store = { findsAtOnce: 1, find: () => answers.shift()! };
    const failed: unknown = await storedResult({ store }, ID).catch((error: unknown) => error);
    expect([failed, mayPassIn()(failed)]).toEqual([expect.any(StoreUnavailable), true]);
    const broken: unknown = await storedResult({ store }, ID).catch((error: unknown) => error);
    expect([broken, mayPassIn()(broken)]).toEqual([new Error('stale'), false]);
    expect(await storedResult({ store }, ID)).toBeUndefined();
  });
});
