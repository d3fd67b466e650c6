import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { coldProfile, createKey, type Key } from '../support/chat';
import { printFigures, recordFigure } from '../support/figures';
import { inForm } from '../support/form';
import { inParallel } from '../support/random';
import { gained } from '../support/rate';
import { ask, Replicas, type Reply } from '../support/replicas';
import type { Organisation } from '../support/service';

const AUTHORIZE = '/v1/inference/router/authorize';
const PROCESSES = inForm(2, 4);
const HAMMERED_FOR_MS = inForm(4_000, 60_000);

describe(`requests of keys with a rate over ${PROCESSES} processes`, () => {
  let replicas: Replicas;
  let org: Organisation;

  beforeAll(async () => {
    replicas = await Replicas.start(PROCESSES);
    org = replicas.organisation();
  });
  afterAll(async () => {
    await replicas.close();
    printFigures();
  });

  const buildModel = async (): Promise<string> => replicas.routeTo([await coldProfile(org)]);
  const authorize = (caller: number, { raw_key: bearer }: Key, body: JsonObject): Promise<Reply> =>
    ask(replicas.of(caller), bearer, AUTHORIZE, { request_id: newId(), ...body });

  it('are admitted at exactly the rate of their key', async () => {
    const logical_model = await buildModel();
    const rates = [5, 15, 30];
    const keys = await Promise.all(rates.map((rate_limit_rps) => createKey(org, { rate_limit_rps })));
    const until = performance.now() + HAMMERED_FOR_MS;
    // Each key is used by three callers at each process, without a pause.
    const callers = keys.flatMap((key) => Array.from({ length: 6 }, () => key));
    const retryAfter = new Map<string, number[]>(keys.map(({ key_id: id }) => [id, []]));
    const admittedAt = new Map<string, number>();
    let busy = 0;
    const judgedAt = new Map<string, number[]>(keys.map(({ key_id: id }) => [id, []]));
    await inParallel(callers, callers.length, async (key, caller) => {
      while (performance.now() < until) {
        const { status, headers } = await authorize(caller, key, { logical_model });
        // Too many at once for this machine, which is no verdict about the key.
        if (status === 503) {
          busy++;
          continue;
        }
        const now = performance.now();
        judgedAt.get(key.key_id)?.push(now);
        if (status === 200) {
          admittedAt.set(key.key_id, now);
          continue;
        }
        expect(status).toBe(429);
        retryAfter.get(key.key_id)?.push(Number(headers.get('retry-after-ms')));
        expect(headers.get('retry-after')).toBe('1');
      }
    });
    for (const [place, { key_id: id }] of keys.entries()) {
      const rate = rates[place] ?? 0;
      // By the clock of the database, which all replicas use.
      const { rows } = await replicas.db.query<{ at: number }>(
        'select (extract(epoch from created_at) * 1000)::float8 as at from authorizations where key_id = $1 order by created_at',
        [id],
      );
      const moments = rows.map(({ at }) => at);
      // From any admission to any later one: the full bucket, plus what the rate allows meanwhile. Times are
      // rounded.
      let most = -Infinity;
      let least = Infinity;
      for (const [count, at] of moments.entries()) {
        least = Math.min(least, count - (rate * at) / 1_000);
        most = Math.max(most, count + 1 - (rate * at) / 1_000 - least);
      }
      const attack = `${PROCESSES} processes, 6 callers without a pause for ${HAMMERED_FOR_MS / 1_000} s, ${rate} requests/s allowed`;
      const over = (100 * (most - rate)) / rate;
      recordFigure({
        row: 4,
        attack,
        measure: 'admitted above the rate',
        value: Math.max(0, over),
        unit: '%',
        bound: { atMost: 0.1 },
      });
      const judged = (judgedAt.get(id) ?? []).sort((one, other) => one - other);
      // A busy machine answers the first request late.
      const [admitted, asked] = [moments, judged].map((times) => (times.at(-1) ?? 0) - (times[0] ?? 0));
      expect(admitted).toBeGreaterThan((asked ?? Infinity) - 1_000);
      // Until the last admission. A process may learn late that it can ask again, which loses nothing.
      const last = admittedAt.get(id) ?? 0;
      const ideal = gained(
        judged.filter((at) => at <= last),
        rate,
      );
      const { rows: buckets } = await replicas.db.query<{ left: number }>(
        'select bucket_tokens::float8 as left from inference_keys where id = $1',
        [id],
      );
      const real = moments.length + (buckets[0]?.left ?? NaN);
      const share = Math.min(100, (100 * real) / (ideal.given + ideal.left));
      recordFigure({
        row: 4,
        attack,
        measure: 'admitted of what the rate allows',
        value: share,
        unit: '%',
        bound: { atLeast: 95 },
      });
      // Whatever the callers did. Other tests may share the processors in the short form.
      const ofTime = Math.min(100, (100_000 * moments.length) / (rate * HAMMERED_FOR_MS));
      recordFigure({
        row: 4,
        attack,
        measure: 'admitted of the rate times the time',
        value: ofTime,
        unit: '%',
        bound: { atLeast: inForm(30, 90) },
      });
      // No Retry-After is longer than the time until the next request fits. On a busy machine six callers do
      // not reach the highest rate, so nothing of it is refused.
      const waits = retryAfter.get(id) ?? [];
      if (judged.length === moments.length) continue;
      expect(waits.length).toBeGreaterThan(0);
      expect(Math.max(...waits)).toBeLessThanOrEqual(Math.ceil(1_000 / rate));
      expect(Math.min(...waits)).toBeGreaterThan(0);
    }
    const attack = `${PROCESSES} processes, ${callers.length} callers without a pause for ${HAMMERED_FOR_MS / 1_000} s`;
    recordFigure({ row: 4, attack, measure: 'refused with 503', value: busy, unit: '', bound: undefined });
  });

  it('are admitted after their Retry-After, by either process', async () => {
    const logical_model = await buildModel();
    const { raw_key, key_id } = await createKey(org, { rate_limit_rps: 2 });
    const key = { raw_key, key_id };
    for (let round = 0; round < 4; round++) {
      // Uses up the rate.
      let refused: Reply | undefined;
      while (!refused) {
        const reply = await authorize(round, key, { logical_model });
        if (reply.status !== 200) refused = reply;
      }
      expect(refused.status).toBe(429);
      const { headers } = refused;
      const seconds = Number(headers.get('retry-after'));
      const milliseconds = Number(headers.get('retry-after-ms'));
      expect([seconds, milliseconds <= 500]).toEqual([1, true]);
      await sleep(round < 2 ? milliseconds : seconds * 1_000);
      // The process that refused by its own knowledge, and the other one.
      expect((await authorize(round + (round % 2), key, { logical_model })).status).toBe(200);
    }
  });
});
