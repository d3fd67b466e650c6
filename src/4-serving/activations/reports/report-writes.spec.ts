import { unavailable } from '../../../1-platform/common/answers/problem';
import type { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import type { Values } from '../../../1-platform/database/transactions/statement';
import type { Move } from '../activations.queries';
import { ReportWrites } from './report-writes';

const ORG = 'one';

/** What a statement answers for these profiles: rows, or an error. */
type Answer = (profileIds: string[]) => unknown[];

const noted = (profileIds: string[]) => profileIds.map((id) => ({ profile_id: id, version: 2, noted: true }));

/** The profiles that a statement names. */
function profilesOf({ profile_id, profile_ids, move, moves }: Values): string[] {
  if (typeof profile_id === 'string') return [profile_id];
  if (typeof profile_ids === 'string') return profile_ids.slice(1, -1).replaceAll('"', '').split(',');
  return [JSON.parse((moves ?? `[${String(move)}]`) as string) as { profile_id: string }[]].flatMap((rows) =>
    rows.map(({ profile_id: id }) => id),
  );
}

/** A database that notes its statements, and answers as the test says. */
function database(together: Answer = noted, alone: Answer = noted) {
  const ran: [name: string, profileIds: string[]][] = [];
  const run = async ({ name }: { name: string }, values: Values): Promise<unknown[]> => {
    const profileIds = profilesOf(values);
    ran.push([name, profileIds]);
    await new Promise((resolve) => setImmediate(resolve));
    return (name.startsWith('activations-') ? together : alone)(profileIds);
  };
  const writes = new ReportWrites({ run } as unknown as StatementPool);
  const { open } = writes as unknown as { open: ReadonlyMap<string, unknown> };
  return { writes, ran, open };
}

const fails = (error: Error) => (): never => {
  throw error;
};
const fault = (code: string) => Object.assign(new Error(code), { code });

const move = (profileId: string, version: number | undefined = 1): Move => ({
  profileId,
  known: (version ? { version, start: null } : undefined) as Move['known'],
  report: { phase: 'Ready' } as Move['report'],
  move: { kind: 'moved' } as Move['move'],
  startId: null,
  phaseId: null,
  auditEntry: {},
});

const repeatAll = (writes: ReportWrites, profileIds: readonly string[], orgId = ORG) =>
  Promise.all(profileIds.map((profileId) => writes.repeated(orgId, { profileId, version: 1 })));
const moveAll = (writes: ReportWrites, profileIds: readonly string[]) =>
  Promise.all(profileIds.map((profileId) => writes.moved(ORG, move(profileId))));

const MOVED = { version: 2, awaited: undefined };

describe('writes of reports', () => {
  it('are single while each report comes alone', async () => {
    const { writes, ran } = database();
    expect(await repeatAll(writes, ['a'])).toEqual([true]);
    expect(await moveAll(writes, ['a'])).toEqual([MOVED]);
    expect(ran).toEqual([
      ['activation-repeated', ['a']],
      ['activation-move', ['a']],
    ]);
  });

  it('are shared by reports of one kind and organisation that come together', async () => {
    const { writes, ran } = database();
    const answers = await Promise.all([
      repeatAll(writes, ['a', 'b']),
      repeatAll(writes, ['a', 'b'], 'two'),
      moveAll(writes, ['c', 'd']),
    ]);
    expect(answers).toEqual([
      [true, true],
      [true, true],
      [MOVED, MOVED],
    ]);
    expect(ran).toEqual([
      ['activations-repeated', ['a', 'b']],
      ['activations-repeated', ['a', 'b']],
      ['activations-move', ['c', 'd']],
    ]);
  });

  it('have at most 128 reports', async () => {
    const { writes, ran } = database();
    await repeatAll(
      writes,
      Array.from({ length: 300 }, (_, n) => String(n)),
    );
    expect(ran.map(([, { length }]) => length)).toEqual([128, 128, 44]);
  });

  it('follow by themselves for reports whose rows a shared statement skipped', async () => {
    const { writes, ran } = database((ids) => noted(ids.filter((id) => id !== 'b')));
    expect(await repeatAll(writes, ['a', 'b', 'c'])).toEqual([true, true, true]);
    expect(await moveAll(writes, ['a', 'b', 'c'])).toEqual([MOVED, MOVED, MOVED]);
    expect(ran.slice(1, 2)).toEqual([['activation-repeated', ['b']]]);
    expect(ran.slice(3)).toEqual([['activation-move', ['b']]]);
  });

  it('do not follow for reports whose rows have changed', async () => {
    const { writes, ran } = database((ids) =>
      ids.map((id) => ({ profile_id: id, version: id === 'b' ? null : 2, noted: id !== 'b' })),
    );
    expect(await repeatAll(writes, ['a', 'b'])).toEqual([true, false]);
    expect(await moveAll(writes, ['a', 'b'])).toEqual([MOVED, undefined]);
    expect(ran.map(([name]) => name)).toEqual(['activations-repeated', 'activations-move']);
  });

  it('are single for new rows', async () => {
    const { writes, ran } = database();
    await Promise.all([moveAll(writes, ['a', 'b']), writes.moved(ORG, move('c', 0)), writes.moved(ORG, move('d', 0))]);
    expect(ran).toEqual([
      ['activation-move', ['c']],
      ['activation-move', ['d']],
      ['activations-move', ['a', 'b']],
    ]);
  });

  it.each([
    ['a lock was not free in time', '55P03'],
    ['it was in a deadlock', '40P01'],
    ['a value cannot be stored', '22P05'],
  ])('follow each by itself where a shared statement failed because %s', async (_why, code) => {
    const { writes, ran } = database(fails(fault(code)), (ids) => (ids[0] === 'b' ? fails(fault(code))() : noted(ids)));
    const answers = await Promise.allSettled(['a', 'b', 'c'].map((id) => writes.moved(ORG, move(id))));
    expect(answers.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(ran.map(([name]) => name)).toEqual(['activations-move', ...Array<string>(3).fill('activation-move')]);
  });

  it.each([
    ['cannot be reached', fault('ECONNREFUSED')],
    ['stops', fault('57P01')],
    ['does not finish in time', fault('57014')],
    ['has no connection left', unavailable('database_busy', 'try again')],
  ])('fail together if the database %s', async (_why, error) => {
    const { writes, ran, open } = database(fails(error));
    const answers = await Promise.allSettled(['a', 'b'].map((id) => writes.moved(ORG, move(id))));
    expect(answers).toEqual(Array(2).fill({ status: 'rejected', reason: error }));
    expect(ran.map(([name]) => name)).toEqual(['activations-move']);
    expect(open.size).toBe(0);
  });

  it('leave nothing of an organisation behind', async () => {
    const { writes, open } = database();
    const all = Promise.all([repeatAll(writes, ['a', 'b']), moveAll(writes, ['c']), repeatAll(writes, ['a'], 'two')]);
    expect([...open.keys()]).toEqual([ORG, 'two']);
    await all;
    expect(open.size).toBe(0);
  });
});
