import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { coldProfile, createKey } from '../support/chat';
import { describeWith } from '../support/components';
import { printFigures, recordFigure } from '../support/figures';
import { inForm } from '../support/form';
import { gained } from '../support/rate';
import { ask, Replicas, TOKEN, type Replica, type Reply } from '../support/replicas';

const ROUTER = '/v1/inference/router';
const REQUESTS = inForm(20, 200);
const RATE = 20;
const HAMMERED_FOR_MS = inForm(2_000, 10_000);

/** What faketime adds to the clock of one of two processes. */
const SKEWS = ['-1h', '+1h', '+400d'] as const;

describeWith(['faketime'], 'a process with a wrong clock', () => {
  let replicas: Replicas;
  const skewed = new Map<string, Replica>();

  beforeAll(async () => {
    replicas = await Replicas.start(1, { LOG_LEVEL: 'fatal' });
    for (const skew of SKEWS) skewed.set(skew, await replicas.add({}, { wrapper: ['faketime', '-f', skew] }));
  });
  afterAll(async () => {
    await replicas.close();
    printFigures();
  });

  const parsed = ({ status, text }: Reply): JsonObject & { status: number } => ({
    ...(JSON.parse(text === '' ? '{}' : text) as JsonObject),
    status,
  });

  it.each(SKEWS)(
    'decides like a process with the right one: %s',
    async (skew) => {
      const right = replicas.of(0);
      const wrong = skewed.get(skew) as Replica;
      // The clock is in fact wrong: replies are stamped with it.
      const date = new Date((await ask(wrong, TOKEN, '/livez')).headers.get('date') ?? '').getTime();
      expect(Math.abs(date - Date.now())).toBeGreaterThan(50 * 60_000);

      const org = replicas.organisation(right);
      const model = await replicas.routeTo([await coldProfile(org)]);
      const faults: unknown[] = [];
      const expected = (what: string, one: unknown, other: unknown): void => {
        if (JSON.stringify(one) !== JSON.stringify(other)) faults.push({ what, one, other });
      };
      for (let n = 0; n < REQUESTS; n++) {
        const [first, second] = n % 2 === 0 ? [right, wrong] : [wrong, right];
        // An authorization of one process is open at the other one, and a repeated request is the same there.
        const key = await createKey(org, { budget_usd: 1 });
        const asked = { request_id: newId(), logical_model: model };
        const granted = parsed(await ask(first, key.raw_key, `${ROUTER}/authorize`, asked));
        expected('authorize', granted.status, 200);
        expected('again', parsed(await ask(second, key.raw_key, `${ROUTER}/authorize`, asked)), granted);
        const resolve = { ...asked, authorization_id: granted.authorization_id };
        const resolved = parsed(await ask(second, TOKEN, `${ROUTER}/resolve`, resolve));
        expected('resolve', resolved.code === 'authorization_expired', false);
        // An idempotency key is remembered by both.
        const headers = { 'idempotency-key': newId() };
        const body = { cluster_name: `cluster-${newId()}` };
        const created = await ask(first, TOKEN, '/v1/cluster', body, headers);
        expected('idempotency', (await ask(second, TOKEN, '/v1/cluster', body, headers)).text, created.text);
      }
      // A token that expires in ten minutes is accepted by both, and an expired one by none.
      const tokenFor = async (replica: Replica, inMs: number): Promise<string> => {
        const expires_at = new Date(Date.now() + inMs).toISOString();
        return String(
          parsed(await ask(replica, TOKEN, '/v1/tokens', { name: skew, role: 'viewer', expires_at })).raw_token,
        );
      };
      const token = await tokenFor(right, 10 * 60_000);
      for (const replica of [right, wrong]) expected('token', (await ask(replica, token, '/v1/user')).status, 200);

      // The rate of a key is that of the database's clock.
      const { raw_key: limited } = await createKey(org, { rate_limit_rps: RATE });
      const began = performance.now();
      const judged: number[] = [];
      let [admitted, lastAdmitted] = [0, 0];
      await Promise.all(
        Array.from({ length: 6 }, async (_, caller) => {
          while (performance.now() - began < HAMMERED_FOR_MS) {
            const replica = caller % 2 === 0 ? right : wrong;
            const { status } = await ask(replica, limited, `${ROUTER}/authorize`, {
              request_id: newId(),
              logical_model: model,
            });
            const now = performance.now();
            if (status === 200 || status === 429) judged.push(now);
            if (status !== 200) continue;
            admitted++;
            lastAdmitted = Math.max(lastAdmitted, now);
          }
        }),
      );
      const allowed = RATE + (RATE * (performance.now() - began)) / 1_000;
      expect(faults.slice(0, 5)).toEqual([]);
      // Sweeps of the wrong clock have released nothing before its time.
      const { rows } = await replicas.db.query<{ n: number }>(
        `select count(*)::int as n from ledger_entries e
       join authorizations z on z.org_id = e.org_id and z.id = e.authorization_id
       where e.kind in ('release', 'charge') and e.occurred_at < z.held_until`,
      );
      const attack = `one of the processes runs at ${skew}, ${REQUESTS} requests of each kind`;
      recordFigure({
        row: 29,
        attack,
        measure: 'verdicts that differ',
        value: faults.length,
        unit: '',
        bound: { atMost: 0 },
      });
      recordFigure({
        row: 29,
        attack,
        measure: 'authorizations that expired early',
        value: rows[0]?.n ?? NaN,
        unit: '',
        bound: { atMost: 0 },
      });
      const above = Math.max(0, (100 * admitted) / allowed - 100);
      // Until the last admission: what the bucket has left is for those behind it. A full one gains nothing.
      judged.sort((one, other) => one - other);
      const { given } = gained(
        judged.filter((at) => at <= lastAdmitted),
        RATE,
      );
      const percent = Math.min(100, (100 * admitted) / given);
      recordFigure({
        row: 29,
        attack,
        measure: 'admitted above the rate',
        value: above,
        unit: '%',
        bound: { atMost: 0.5 },
      });
      recordFigure({
        row: 29,
        attack,
        measure: 'admitted of what the rate allows',
        value: percent,
        unit: '%',
        bound: { atLeast: 95 },
      });
    },
    240_000,
  );
});
