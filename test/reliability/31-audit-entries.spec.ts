import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { newId } from '../../src/1-platform/common/ids';
import { Campaign } from '../fuzz/campaign';
import type { Exchange, Sent } from '../fuzz/target/exchange';
import { Surroundings } from '../fuzz/target/surroundings';
import { operations } from '../support/description';
import { eventually } from '../support/eventually';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { ADMIN_TOKEN, Service } from '../support/service';
import { EXEMPT, RESOURCE_OF } from './audited-operations';

/** While the gate is closed, the database takes no entry. What a committed change wrote is noted by table. */
const WATCHED = `
  create table audit_gate (closed boolean not null);
  insert into audit_gate values (false);
  create function refuse_audit_entry() returns trigger language plpgsql as $f$
    begin
      if (select closed from audit_gate) then raise 'no entry is taken now'; end if;
      return new;
    end $f$;
  create trigger audit_gate before insert on audit_entries for each row execute function refuse_audit_entry();
  create table written_tables (name text not null);
  create function note_written_table() returns trigger language plpgsql as $f$
    begin
      insert into written_tables values (tg_argv[0]);
      return null;
    end $f$;
  do $$ declare t text; begin
    for t in select relname from pg_class
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
        and relname not in ('audit_gate', 'written_tables')
    loop
      execute format('create trigger written_tables after insert or update or delete on %I for each row
        execute function note_written_table(%L)', t, t);
    end loop;
  end $$`;

/** Written after an earlier request for a model, which leaves no entry: its usage, and the sums of it. */
const USAGE = ['usage_records', 'usage_rollups', 'warm_waits', 'busy_minutes', 'busy_hours', 'busy_spans'];
/** They say nothing of what a request changed: when a token was last used, and the time of the database. */
const NO_RECORD = ['access_tokens', 'heartbeats', ...USAGE];

/** A resource that neither the request nor its reply names. */
const UNREPORTED: Readonly<Record<string, string>> = {
  create_cluster_workload: 'select id::text from queued_workloads',
};

interface Entry {
  readonly action: string;
  readonly resource_type: string;
  readonly resource_id: string | null;
  readonly request_id: string;
}

/** In turn: most requests are then not begun, in progress, and answered. */
const LEAVES_AFTER_MS = [0, 4, 100];

const isChange = ({ method }: { method: string }): boolean => method !== 'get';

describe('every operation that changes something', () => {
  const changing = operations().filter(isChange);
  let surroundings: Surroundings;
  let service: Service;

  beforeAll(async () => {
    surroundings = await Surroundings.start();
    service = await Service.start(surroundings.settings);
    await service.db.query(WATCHED);
  });
  afterAll(async () => {
    await service.close();
    await surroundings.close();
    printFigures();
  });

  const record = (attack: string, measure: string, value: number, bound: Figure['bound']): void =>
    recordFigure({ row: 31, attack, measure, value, unit: '', bound });

  const entriesOf = async (requestIds: readonly string[]): Promise<Entry[]> => {
    const { rows } = await service.db.query<Entry>(
      'select action, resource_type, resource_id, request_id from audit_entries where request_id = any($1)',
      [requestIds],
    );
    return rows;
  };

  const closeGate = (closed: boolean): Promise<unknown> =>
    service.db.query('update audit_gate set closed = $1', [closed]);

  /** The tables that were written since the last call. */
  async function writtenTables(): Promise<string[]> {
    const { rows } = await service.db.query<{ name: string }>(
      `with noted as (delete from written_tables returning name)
       select distinct name from noted where name <> all($1) order by 1`,
      [NO_RECORD],
    );
    return rows.map(({ name }) => name);
  }

  /** Makes rows of every kind by every operation, while each change is sent in an unusual way. */
  async function throughEverything(
    around: (sent: Sent, send: (sent: Sent) => Promise<Exchange>) => Promise<Exchange>,
  ): Promise<void> {
    const taken = new Set<string>();
    const campaign = await Campaign.prepare({
      url: service.url,
      adminToken: ADMIN_TOKEN,
      surroundings,
      seed: 0,
      perOperation: 0,
      around: async (sent, send) => {
        const exchange = await (isChange(sent.operation) ? around(sent, send) : send(sent));
        if (exchange.status < 300) taken.add(sent.operation.id);
        return exchange;
      },
    });
    try {
      await campaign.makeRows();
      // What the scenario has no use for. A cluster takes most other rows with it.
      const others = changing.map(({ id }) => id).filter((id) => !taken.has(id) && id !== 'delete_cluster');
      for (const operation of [...others, 'delete_cluster']) await campaign.take({ operation });
      expect(changing.map(({ id }) => id).filter((id) => !taken.has(id))).toEqual([]);
    } finally {
      campaign.close();
    }
  }

  const named = (sent: Sent, id: string, more: Record<string, string> = {}): Sent => ({
    ...sent,
    headers: { ...sent.headers, 'x-request-id': id, ...more },
  });

  /** The faults of the entries of one request. */
  async function faultsOf({ operation, target, body }: Sent, text: string, ids: readonly string[]): Promise<unknown[]> {
    const entries = await entriesOf(ids);
    const [entry] = entries;
    const unreported = UNREPORTED[operation.id];
    const others = unreported === undefined ? [] : (await service.db.query<{ id: string }>(unreported)).rows;
    const isOne = entries.length === 1 && entry?.action === operation.id;
    const resource = RESOURCE_OF.get(operation.id);
    const mentioned = [decodeURIComponent(target), body?.toString('utf8'), text, ...others.map(({ id }) => id)].join(
      ' ',
    );
    const isRight =
      entry?.resource_type === resource && (entry?.resource_id == null || mentioned.includes(entry.resource_id));
    return isOne && isRight ? [] : [{ operation: operation.id, entries }];
  }

  it('leaves one entry in the transaction of its change, which is undone without it', async () => {
    const faults: unknown[] = [];
    const done = { entered: new Set<string>(), undone: new Set<string>(), exempt: new Set<string>() };
    await throughEverything(async (sent, send) => {
      const { id } = sent.operation;
      const [refused, accepted] = [newId(), newId()];
      const outside = surroundings.changes;
      await closeGate(true);
      await writtenTables();
      const first = await send(named(sent, refused));
      const written = await writtenTables();
      await closeGate(false);
      if (id in EXEMPT) {
        // It writes no entry, so it does not notice.
        if ((await entriesOf([refused])).length > 0 || first.status >= 300) faults.push({ id, answer: first.text });
        done.exempt.add(id);
        return first;
      }
      expect(surroundings.changes).toEqual(outside);
      if (first.status !== 500 || written.length > 0) faults.push({ id, status: first.status, written });
      else done.undone.add(id);
      const second = await send(named(sent, accepted));
      const found = await faultsOf(sent, second.text, [accepted]);
      if (second.status >= 300 || found.length > 0) faults.push({ id, answer: second.text, found });
      else done.entered.add(id);
      return second;
    });
    expect(faults).toEqual([]);
    const attack = `each of ${changing.length} operations that are not reads`;
    record(attack, 'operations with exactly one entry', done.entered.size, { atLeast: RESOURCE_OF.size });
    record(attack, 'undone as a whole without their entry', done.undone.size, { atLeast: RESOURCE_OF.size });
    record(attack, 'exempt, and without an entry', done.exempt.size, { atLeast: Object.keys(EXEMPT).length });
  }, 300_000);

  it('leaves one entry when its reply is lost, and when the request is then repeated with its key', async () => {
    const faults: unknown[] = [];
    const done = { lost: 0, repeated: 0, known: 0 };
    const all: string[] = [];
    await throughEverything(async (sent, send) => {
      const { id, method } = sent.operation;
      if (id in EXEMPT) return send(sent);
      const ids = [newId(), newId()] as const;
      all.push(...ids);
      done.lost++;
      if (method !== 'post') {
        // There is no key for a repetition, so the client leaves once the change is made.
        await lose(service.url, named(sent, ids[0]), () =>
          eventually(async () => expect(await entriesOf(ids)).not.toEqual([])),
        );
        faults.push(...(await faultsOf(sent, '', ids)));
        return { sent, status: 204, headers: {}, text: '', tookMs: 0 };
      }
      const key = { 'idempotency-key': newId() };
      await lose(service.url, named(sent, ids[0], key), () => sleep(LEAVES_AFTER_MS[done.repeated % 3] ?? 0));
      const again = await send(named(sent, ids[1], key));
      done.repeated++;
      if ((await entriesOf(ids))[0]?.request_id === ids[0]) done.known++;
      const found = await faultsOf(sent, again.text, ids);
      if (again.status >= 300 || found.length > 0) faults.push({ id, answer: again.text, found });
      return again;
    });
    expect(faults).toEqual([]);
    // No entry came later.
    expect(await entriesOf(all)).toHaveLength(done.lost);
    const attack = 'each operation that leaves an entry, whose client leaves before the reply';
    record(attack, 'requests with exactly one entry', done.lost, { atLeast: RESOURCE_OF.size });
    record(attack, 'repeated with their key, and one entry for both', done.repeated, { atLeast: 40 });
    record(attack, 'of these, changed by the first one', done.known, { atLeast: 10 });
  }, 300_000);
});

/** Sends a whole request, and leaves without a reply. @param when it leaves */
async function lose(
  url: string,
  { operation, target, headers, body }: Sent,
  when: () => Promise<unknown>,
): Promise<void> {
  const { hostname, port } = new URL(url);
  const outgoing = request({
    hostname,
    port,
    path: target,
    method: operation.method.toUpperCase(),
    headers: { ...headers, 'content-length': body?.length ?? 0 },
    agent: false,
  });
  // Of a client that leaves.
  outgoing.on('error', () => undefined);
  await new Promise<void>((resolve) => outgoing.end(body, resolve));
  await when();
  outgoing.destroy();
}
