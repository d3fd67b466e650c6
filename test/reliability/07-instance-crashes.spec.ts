import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { eventually } from '../support/eventually';
import { printFigures, recordFigure } from '../support/figures';
import { buildInstance, INSTANCES } from '../support/instances';
import { gate, Marketplace } from '../support/marketplace';
import { ask, Replicas, type Replica } from '../support/replicas';
import type { Organisation } from '../support/service';

/** The advisory lock on which writes of an instance wait while a test holds it. */
const HELD = 471_100;

/**
 * The writes that can wait, each on a lock of its own: rows that enter a phase, and the answer that replaces
 * the first one.
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

/** The sweep runs every 10 seconds; this makes it due at once. */
const DUE_NOW = "update pgboss.job set start_after = now() where name = 'sweep-instances' and state = 'created'";
/** Enough for a few rounds, and for rescheduling one that was lost with its process. */
const SWEPT_WITHIN_MS = 60_000;

/** Where a process is killed during the request for an instance, and the expected result. */
interface Step {
  readonly at: string;
  /** The write in progress. */
  readonly held?: (typeof WRITES)[number];
  /** What the marketplace does: it creates the machine never, after the caller's death, or just before it. */
  readonly market?: 'never' | 'late' | 'made';
  readonly recorded: boolean;
  readonly made: boolean;
}

const STEPS: readonly Step[] = [
  { at: 'before the record is committed', held: 'recorded', recorded: false, made: false },
  { at: 'after the record, before the mark that it was requested', held: 'asked', recorded: true, made: false },
  { at: 'after the request, whose machine is never created', market: 'never', recorded: true, made: false },
  { at: 'after the request, whose machine is created later', market: 'late', recorded: true, made: true },
  { at: 'after the creation of the machine, before the answer', market: 'made', recorded: true, made: true },
  { at: 'after the answer, before it is recorded', held: 'placed', recorded: true, made: true },
  {
    at: 'after everything is recorded, before the caller gets an answer',
    held: 'answered',
    recorded: true,
    made: true,
  },
];

/** How the marketplace delays the creation. */
const NEVER = { never: { cut: 'before' }, late: {} } as const;

describe('a process that is killed during the request for an instance', () => {
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
    printFigures();
  });

  const sound = new Set<string>();

  const records = async (): Promise<{ id: string; phase: string; provider_id: string | null }[]> =>
    (await replicas.db.query('select id, phase, provider_id from instances')).rows;
  const create = (replica: Replica, headers: Record<string, string>) =>
    ask(replica, org.admin.token ?? '', INSTANCES, buildInstance(), headers);
  const statusOf = async (id: string): Promise<JsonObject> =>
    (await org.viewer.get(`${INSTANCES}/${id}/status`)).body as JsonObject;

  /** Makes the request old, so that no test waits for 15 minutes. */
  const later = () =>
    replicas.db.query(
      `update instances set created_at = created_at - interval '16 minutes', asked_at = asked_at - interval '16 minutes',
         missing_since = missing_since - interval '16 minutes'`,
    );

  /** The final result of the sweep's rounds. */
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
      // The database notices a dead client only when it sends it something.
      await replicas.db.query(
        "select pg_terminate_backend(pid, 5000) from pg_locks where locktype = 'advisory' and classid = $1 and not granted",
        [HELD],
      );
    });
    hung.open();
    if (at === 'late') await eventually(() => expect(market.machines).toHaveLength(1));
  }

  it.each(STEPS.map((step) => [step.at, step] as const))(
    'leaves at most one record, which the next rounds complete or fail: %s',
    async (_at, step) => {
      const headers = { 'idempotency-key': newId() };
      await killedAt(step, headers);
      const made = step.made ? 1 : 0;
      expect(market.machines).toHaveLength(made);

      // At most one record remains, and a repeated request returns that one.
      const [record, ...others] = await records();
      expect([record !== undefined, others]).toEqual([step.recorded, []]);
      if (!record) {
        expect(market.asked('create')).toEqual([]);
        const again = await create(replicas.of(0), headers);
        expect([again.status, market.machines.length]).toEqual([200, 1]);
        sound.add(step.at);
        return;
      }
      const again = await create(replicas.of(0), headers);
      expect([again.status, JSON.parse(again.text)]).toMatchObject([
        200,
        { instance_id: record.id, status: 'pending' },
      ]);

      if (step.made) {
        // The other process finds the machine by its tag.
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

      // The instance can be deleted.
      expect((await org.operator.delete(`${INSTANCES}/${record.id}`)).status).toBe(200);
      await swept(() => expect(market.machines.map(({ status }) => status)).toEqual(Array(made).fill('deleting')));
      sound.add(step.at);
    },
    180_000,
  );

  it('was killed at each step', () => {
    recordFigure({
      row: 7,
      attack: `kills at ${STEPS.length} steps of an order of a machine`,
      measure: 'with at most one record and one machine',
      value: sound.size,
      unit: '',
      bound: { atLeast: STEPS.length },
    });
  });

  it('repeats the deletion of a machine in another process if one is killed while it requests it', async () => {
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
