import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { eventually } from '../support/eventually';
import { buildInstance, INSTANCES } from '../support/instances';
import { gate, Marketplace } from '../support/marketplace';
import { ask, Replicas, type Replica } from '../support/replicas';
import type { Organisation } from '../support/service';

/** Advisory lock that a write of an instance waits for where a test holds it. */
const HELD = 471_100;

/**
 * Writes that wait, each for a number of its own: rows that come into a phase,
 * and an answer that takes the place of the first one.
 */
const WRITES = ['recorded', 'asked', 'placed', 'answered'] as const;
const numberOf = (write: (typeof WRITES)[number]): number => WRITES.indexOf(write) + 1;
const HOLD = `
  create function hold_phase() returns trigger language plpgsql as $f$
  begin
    if tg_op = 'INSERT' or new.phase is distinct from old.phase then
      perform pg_advisory_xact_lock_shared(${HELD}, case new.phase when 'recorded' then ${numberOf('recorded')} when 'asked' then ${numberOf('asked')}
        when 'placed' then ${numberOf('placed')} else 0 end);
    end if;
    return new;
  end $f$;
  create function hold_answer() returns trigger language plpgsql as $f$
  begin
    perform pg_advisory_xact_lock_shared(${HELD}, ${numberOf('answered')});
    return new;
  end $f$;
  create trigger hold_phase before insert or update on instances for each row execute function hold_phase();
  create trigger hold_answer before update on idempotency_keys for each row when (old.answer is not null) execute function hold_answer()`;

/** A round of the sweep is due every 10 seconds: here, whenever somebody looks for what it does. */
const DUE_NOW = "update pgboss.job set start_after = now() where name = 'sweep-instances' and state = 'created'";
/** What a few rounds take, and as much again as one that was lost with its process is put back within. */
const SWEPT_WITHIN_MS = 60_000;

/** Where in the middle of asking for an instance a process is killed, and what must be so afterwards. */
interface Step {
  readonly at: string;
  /** The write that is under way. */
  readonly held?: (typeof WRITES)[number];
  /** What the marketplace is at: it makes the machine never, when its caller is dead, or just before that. */
  readonly market?: 'never' | 'late' | 'made';
  readonly recorded: boolean;
  readonly made: boolean;
}

const STEPS: readonly Step[] = [
  { at: 'before the record is committed', held: 'recorded', recorded: false, made: false },
  { at: 'when it is recorded, and not marked as asked for', held: 'asked', recorded: true, made: false },
  { at: 'when it is asked for, and never made', market: 'never', recorded: true, made: false },
  { at: 'when it is asked for, and made later', market: 'late', recorded: true, made: true },
  { at: 'when it is made, and not answered', market: 'made', recorded: true, made: true },
  { at: 'when it is answered, and not written down', held: 'placed', recorded: true, made: true },
  { at: 'when it is written down, and its caller not answered', held: 'answered', recorded: true, made: true },
];

/** Of those that make none yet, who never does. */
const NEVER = { never: { cut: 'before' }, late: {} } as const;

describe('a process that is killed in the middle of asking for an instance', () => {
  let market: Marketplace;
  let replicas: Replicas;
  let org: Organisation;
  let victim: Replica;

  beforeAll(async () => {
    market = await Marketplace.start();
    replicas = await Replicas.start(1, {
      MARKETPLACE_API_URL: market.url,
      MARKETPLACE_API_KEY: market.settings().key,
      MARKETPLACE_TIMEOUT_MS: '20000',
    });
    await replicas.db.query(HOLD);
    org = replicas.organisation();
  });
  beforeEach(async () => {
    victim = await replicas.add();
    market.reset();
    await replicas.db.query('truncate instances, provider_accounts');
  });
  afterAll(async () => {
    await replicas.close();
    await market.close();
  });

  const records = async (): Promise<{ id: string; phase: string; provider_id: string | null }[]> =>
    (await replicas.db.query('select id, phase, provider_id from instances')).rows;
  const create = (replica: Replica, headers: Record<string, string>) =>
    ask(replica, org.admin.token ?? '', INSTANCES, buildInstance(), headers);
  const statusOf = async (id: string): Promise<JsonObject> =>
    (await org.viewer.get(`${INSTANCES}/${id}/status`)).body as JsonObject;

  /** As if it had been asked for long ago: nobody waits for 15 minutes here. */
  const later = () =>
    replicas.db.query(
      `update instances set created_at = created_at - interval '16 minutes', asked_at = asked_at - interval '16 minutes',
         missing_since = missing_since - interval '16 minutes'`,
    );

  /** What rounds of the sweep have come to, in the end. */
  const swept = (look: () => Promise<void> | void) =>
    eventually(async () => {
      await replicas.db.query(DUE_NOW);
      await look();
    }, SWEPT_WITHIN_MS);

  async function holding<T>(write: Step['held'], work: () => Promise<T>): Promise<T> {
    const client = await replicas.db.connect();
    try {
      await client.query('begin');
      if (write) await client.query('select pg_advisory_xact_lock($1, $2)', [HELD, numberOf(write)]);
      return await work();
    } finally {
      await client.query('rollback');
      client.release();
    }
  }

  const waitsForLock = () =>
    eventually(async () => {
      const { rowCount } = await replicas.db.query(
        "select from pg_locks where locktype = 'advisory' and classid = $1 and not granted",
        [HELD],
      );
      expect(rowCount).toBe(1);
    }, 20_000);

  async function killedAt({ held, market: at }: Step, headers: Record<string, string>): Promise<void> {
    const hung = gate();
    const waits = () => hung.opened;
    if (at) market.behaves('create', at === 'made' ? { after: waits } : { before: waits, ...NEVER[at] });
    await holding(held, async () => {
      const lost = create(victim, headers).catch(() => 'lost');
      if (at) await eventually(() => expect(market.asked('create')).toHaveLength(1), 20_000);
      else await waitsForLock();
      if (at === 'made') await eventually(() => expect(market.machines).toHaveLength(1));
      victim.process.kill();
      await victim.process.exit;
      expect(await lost).toBe('lost');
      // The database learns of a client that is gone when it has something to tell it.
      await replicas.db.query(
        "select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and classid = $1 and not granted",
        [HELD],
      );
    });
    hung.open();
    if (at === 'late') await eventually(() => expect(market.machines).toHaveLength(1));
  }

  it.each(STEPS.map((step) => [step.at, step] as const))(
    '%s',
    async (_at, step) => {
      const headers = { 'idempotency-key': newId() };
      await killedAt(step, headers);
      const made = step.made ? 1 : 0;
      expect(market.machines).toHaveLength(made);

      // What stays is one record at the most, and what its caller would be answered now is that one.
      const [record, ...others] = await records();
      expect([record !== undefined, others]).toEqual([step.recorded, []]);
      if (!record) {
        expect(market.asked('create')).toEqual([]);
        const again = await create(replicas.of(0), headers);
        expect([again.status, market.machines.length]).toEqual([200, 1]);
        return;
      }
      const again = await create(replicas.of(0), headers);
      expect([again.status, JSON.parse(again.text)]).toMatchObject([
        200,
        { instance_id: record.id, status: 'pending' },
      ]);

      if (step.made) {
        // The other process finds it by its tag.
        await swept(async () =>
          expect(await records()).toEqual([{ ...record, phase: 'placed', provider_id: market.machines[0]?.id }]),
        );
        expect(await statusOf(record.id)).toMatchObject({ status: 'creating' });
      } else {
        await swept(async () => {
          await later();
          expect(await records()).toEqual([{ ...record, phase: 'failed' }]);
        });
        expect(await statusOf(record.id)).toMatchObject({
          status: 'error',
          metadata: {
            reason: expect.stringMatching(step.held ? /never sent the request/ : /has no machine/) as string,
          },
        });
      }
      expect(market.asked('create').length).toBe(step.held === 'asked' ? 0 : 1);
      expect(market.machines.length).toBe(made);

      // And it can be got rid of.
      expect((await org.operator.delete(`${INSTANCES}/${record.id}`)).status).toBe(200);
      await swept(() => expect(market.machines.map(({ status }) => status)).toEqual(Array(made).fill('deleting')));
    },
    180_000,
  );

  it('while it asks for a machine to be deleted, is followed by one that asks again', async () => {
    const created = await create(victim, {});
    const { instance_id: id, status } = JSON.parse(created.text) as { instance_id: string; status: string };
    expect(status).toBe('creating');
    const hung = gate();
    market.behaves('delete', { before: () => hung.opened, cut: 'before', times: 1 });
    const lost = fetch(`${victim.url}${INSTANCES}/${id}`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${org.admin.token}` },
    }).catch(() => 'lost');
    await eventually(() => expect(market.asked('delete')).toHaveLength(1), 20_000);
    victim.process.kill();
    await victim.process.exit;
    expect(await lost).toBe('lost');
    hung.open();
    expect(market.machines[0]?.status).toBe('creating');
    await replicas.db.query("update instances set delete_asked_at = delete_asked_at - interval '31 seconds'");
    await swept(() => expect(market.machines[0]?.status).toBe('deleting'));
    market.machines = [];
    await swept(async () => expect((await statusOf(id)).status).toBe('deleted'));
  });
});
