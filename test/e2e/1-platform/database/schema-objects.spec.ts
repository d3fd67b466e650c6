import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DataSource, type QueryRunner } from 'typeorm';
import { dataSourceOptions } from '../../../../src/1-platform/database/connections/data-source-options';
import { CREATE_SCHEMA_OBJECTS } from '../../../../src/1-platform/database/migrations/1795381200000-Baseline';
import { applySchemaObjects } from '../../../../src/1-platform/database/schema/apply-objects';
import { readSchemaObjects } from '../../../../src/1-platform/database/schema/schema-objects';
import { asAdmin, dropDatabase, testServer, urlOf } from '../../../support/test-server';

const FUNCTION = '1-platform/things/functions/answer.sql';
const VIEW = '1-platform/things/views/answers.sql';
const TRIGGER_FUNCTION = '1-platform/things/functions/thing_noted.sql';
const TRIGGER = '1-platform/things/triggers/thing_noted.sql';

const FILES = {
  [FUNCTION]: '-- Of everything.\ncreate or replace function answer() returns int language sql return 42;\n',
  [VIEW]: 'create or replace view answers as select answer() as answer;\n',
  [TRIGGER_FUNCTION]: `create or replace function thing_noted() returns trigger language plpgsql as $$
begin
  new.noted := coalesce(new.noted, 0) + 1;
  return new;
end $$;
`,
  [TRIGGER]: `create or replace trigger thing_noted before insert on things for each row
execute function thing_noted();
`,
};

describe('functions, views and triggers of files', () => {
  const server = testServer();
  let name: string;
  let directory: string;
  let source: DataSource;
  let runner: QueryRunner;

  beforeEach(async () => {
    directory = mkdtempSync(join(tmpdir(), 'schema-objects-'));
    name = `${server.template}_${directory.slice(-6).toLowerCase()}`;
    await asAdmin(server.adminUrl, (client) => client.query(`create database ${name} owner ${server.owner}`));
    const databaseUrl = urlOf(server, name);
    source = new DataSource({
      ...dataSourceOptions({ databaseUrl, poolSize: 1, statementTimeoutMs: 30_000 }),
      entities: [],
      migrations: [],
    });
    await source.initialize();
    runner = source.createQueryRunner();
    await runner.query('create table things (id int, noted int)');
    await runner.query(CREATE_SCHEMA_OBJECTS);
    await apply(1, FILES);
  });
  afterEach(async () => {
    await runner.release();
    await source.destroy();
    await dropDatabase(server, name);
    rmSync(directory, { recursive: true });
  });

  function apply(revision: number, files: Readonly<Record<string, string>>): Promise<void> {
    rmSync(directory, { recursive: true });
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(join(directory, dirname(file)), { recursive: true });
      writeFileSync(join(directory, file), text);
    }
    return applySchemaObjects(runner, readSchemaObjects(directory), revision);
  }

  const answer = async (): Promise<unknown> => (await runner.query('select answer()'))[0].answer;
  const versions = () =>
    runner.query(`
      select 'function ' || proname as name, oid::int, xmin::text from pg_proc where pronamespace = 'public'::regnamespace
      union all select 'trigger ' || tgname, oid::int, xmin::text from pg_trigger where tgname = 'thing_noted' order by 1`);
  const recorded = () => runner.query('select kind, name, revision from schema_objects order by 1, 2');

  it('are written to a new database', async () => {
    expect(await answer()).toBe(42);
    expect(await runner.query('select * from answers')).toEqual([{ answer: 42 }]);
    expect(await runner.query('insert into things values (1) returning noted')).toEqual([{ noted: 1 }]);
    expect(await recorded()).toEqual([
      { kind: 'function', name: 'answer', revision: 1 },
      { kind: 'function', name: 'thing_noted', revision: 1 },
      { kind: 'trigger', name: 'thing_noted', revision: 1 },
      { kind: 'view', name: 'answers', revision: 1 },
    ]);
  });

  it('are left as they are if nothing changed', async () => {
    const before = await versions();
    await apply(1, FILES);
    await apply(2, FILES);
    expect(await versions()).toEqual(before);
    expect(await runner.query('select distinct revision from schema_objects')).toEqual([{ revision: 2 }]);
  });

  it('are replaced under the same object id if a file changed, and the others are not touched', async () => {
    const before = await versions();
    await apply(2, { ...FILES, [FUNCTION]: FILES[FUNCTION].replace('42', '43') });
    expect(await answer()).toBe(43);
    const after = await versions();
    expect(after.map(({ oid }: { oid: number }) => oid)).toEqual(before.map(({ oid }: { oid: number }) => oid));
    expect(after.slice(1)).toEqual(before.slice(1));
  });

  const { [VIEW]: _view, ...withoutView } = FILES;
  const withParameter =
    'create or replace function answer(plus int default 1) returns int language sql return 42 + plus;\n';

  it.each([
    ['a new parameter', withParameter],
    ['another result', FILES[FUNCTION].replace('returns int', 'returns bigint')],
  ])('refuse %s of a function, because replicas of the previous release still call it', async (_what, definition) => {
    await expect(apply(2, { ...withoutView, [FUNCTION]: definition })).rejects.toThrow('give it a new name');
    expect(await answer()).toBe(42);
    expect(await recorded()).toHaveLength(4);
  });

  it('replace a function of another signature that no build has recorded, and leave no second one', async () => {
    const forget = () => runner.query("delete from schema_objects where name = 'answer'");
    await forget();
    await apply(2, { ...withoutView, [FUNCTION]: withParameter });
    expect(await answer()).toBe(43);
    // PostgreSQL replaces neither the name of a parameter nor a result.
    await forget();
    const renamed = withParameter.replaceAll('plus', 'more').replace('returns int', 'returns bigint');
    await apply(3, { ...withoutView, [FUNCTION]: renamed });
    expect(
      await runner.query("select pg_get_function_arguments(oid) as it from pg_proc where proname = 'answer'"),
    ).toEqual([{ it: 'more integer DEFAULT 1' }]);
  });

  it('are dropped when their file is gone, and what somebody else made stays', async () => {
    await runner.query('create function of_an_operator() returns int language sql return 1');
    const { [FUNCTION]: answerFile } = FILES;
    await apply(2, { [FUNCTION]: answerFile });
    expect(await recorded()).toEqual([{ kind: 'function', name: 'answer', revision: 2 }]);
    expect((await versions()).map(({ name }: { name: string }) => name)).toEqual([
      'function answer',
      'function of_an_operator',
    ]);
    expect(await runner.query("select from pg_class where relname = 'answers'")).toEqual([]);
  });

  it('move a trigger to the table that its file names', async () => {
    await runner.query('create table more_things (noted int)');
    await apply(2, { ...FILES, [TRIGGER]: FILES[TRIGGER].replace('on things', 'on more_things') });
    expect(
      await runner.query("select tgrelid::regclass::text as table from pg_trigger where tgname = 'thing_noted'"),
    ).toEqual([{ table: 'more_things' }]);
  });

  it('an older build that starts beside a newer one leaves its functions, views and triggers alone', async () => {
    const newer = { ...FILES, [FUNCTION]: FILES[FUNCTION].replace('42', '43') };
    const { [VIEW]: _newView, ...newerWithoutView } = newer;
    await apply(2, newerWithoutView);
    await apply(1, FILES);
    expect(await answer()).toBe(43);
    expect(await runner.query("select from pg_class where relname = 'answers'")).toEqual([]);
    // Nor does the newer one begin again.
    const before = await versions();
    await apply(2, newerWithoutView);
    expect(await versions()).toEqual(before);
  });

  it('come back at the next start if somebody dropped them', async () => {
    await runner.query('drop trigger thing_noted on things');
    await apply(1, FILES);
    expect(await runner.query('insert into things values (1) returning noted')).toEqual([{ noted: 1 }]);
  });

  it('stay as they were if one of them is wrong', async () => {
    const before = await versions();
    const changed = { ...FILES, [FUNCTION]: FILES[FUNCTION].replace('42', '43') };
    await expect(
      apply(2, { ...changed, [VIEW]: 'create or replace view answers as select nothing;\n' }),
    ).rejects.toThrow('column "nothing" does not exist');
    expect(await versions()).toEqual(before);
    expect(await runner.query('select distinct revision from schema_objects')).toEqual([{ revision: 1 }]);
    await apply(2, changed);
    expect(await answer()).toBe(43);
  });

  it.each([
    ['another name', FUNCTION, FILES[FUNCTION].replace('answer', 'another')],
    ['another kind', FUNCTION, FILES[VIEW]],
    ['another folder', '1-platform/things/answer.sql', FILES[FUNCTION]],
  ])('are refused from a file whose path says %s', (_what, file, text) => {
    expect(() => apply(2, { [file]: text })).toThrow(`${file} does not define what its path says`);
  });
});
