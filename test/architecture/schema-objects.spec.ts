import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { dataSourceOptions } from '../../src/1-platform/database/connections/data-source-options';
import {
  fingerprintOf,
  OBJECT_KINDS,
  readSchemaObjects,
  type SchemaObject,
} from '../../src/1-platform/database/schema/schema-objects';
import { SCHEMA_FINGERPRINT } from '../../src/1-platform/database/schema/schema-revision';
import { objectsOf, type DefinedObjects } from '../support/schema';
import { cloneDatabase, dropDatabase, testServer } from '../support/test-server';

const DROP_EVERYTHING = `
  do $$ declare one record; begin
    for one in select p.oid::regprocedure as function from pg_proc p where p.pronamespace = 'public'::regnamespace loop
      execute format('drop function if exists %s cascade', one.function);
    end loop;
    for one in select c.oid::regclass as view from pg_class c where c.relnamespace = 'public'::regnamespace and c.relkind = 'v' loop
      execute format('drop view if exists %s cascade', one.view);
    end loop;
  end $$`;

describe('the functions, views and triggers of the database', () => {
  const objects = readSchemaObjects();
  let database: { name: string; url: string };
  let source: DataSource;

  beforeAll(async () => {
    database = await cloneDatabase(testServer());
    source = new DataSource({
      ...dataSourceOptions({ databaseUrl: database.url, poolSize: 1, statementTimeoutMs: 30_000 }),
      entities: [],
      migrations: [],
    });
    await source.initialize();
  });
  afterAll(async () => {
    await source.destroy();
    await dropDatabase(testServer(), database.name);
  });

  /** What the database has, and what the files alone would make of it. Changes nothing. */
  async function compared(change?: string): Promise<{ stored: DefinedObjects; defined: DefinedObjects }> {
    const runner = source.createQueryRunner();
    await runner.startTransaction();
    try {
      if (change !== undefined) await runner.query(change);
      const stored = await objectsOf(runner);
      await runner.query(DROP_EVERYTHING);
      for (const { definition } of objects) await runner.query(definition);
      return { stored, defined: await objectsOf(runner) };
    } finally {
      await runner.rollbackTransaction();
      await runner.release();
    }
  }

  it('are exactly what the files define', async () => {
    const { stored, defined } = await compared();
    expect(stored).toEqual(defined);
    const names = [stored.functions, stored.views, stored.triggers].map((found) => found.map(({ name }) => name));
    const inFiles = OBJECT_KINDS.map((kind) => objects.filter((one) => one.kind === kind).map(({ name }) => name));
    expect(names.map((found) => found.toSorted())).toEqual(inFiles.map((found) => found.toSorted()));
    expect(objects.length).toBeGreaterThan(30);
  });

  it.each([
    ['a function without a file', 'create function of_nobody() returns int language sql return 1'],
    ['a changed function', "create or replace function ledger_stays() returns trigger language plpgsql as 'begin end'"],
    ['a missing trigger', 'drop trigger ledger_stays on ledger_entries'],
    ['a disabled trigger', 'alter table ledger_entries disable trigger ledger_stays'],
    ['a view without a file', 'create view of_nobody as select 1 as one'],
  ])('would not pass with %s', async (_what, change) => {
    const { stored, defined } = await compared(change);
    expect(stored).not.toEqual(defined);
  });

  it('have a revision that belongs to their files: if this fails, raise SCHEMA_REVISION and copy the fingerprint', () => {
    expect(SCHEMA_FINGERPRINT).toBe(fingerprintOf(objects));
  });

  it('fit in 110 columns', () => {
    const wide = objects.filter(({ definition }) => definition.split('\n').some((line) => line.length > 110));
    expect(wide.map(({ file }) => file)).toEqual([]);
  });

  it('call functions of the same or an earlier wing only', () => {
    const wingOf = ({ file }: SchemaObject) => Number(file[0]);
    const functions = objects.filter(({ kind }) => kind === 'function');
    const calls = objects.flatMap((caller) =>
      functions
        .filter((called) => called !== caller && new RegExp(`\\b${called.name}\\(`).test(caller.definition))
        .map((called) => ({ caller, called })),
    );
    expect(calls.length).toBeGreaterThan(objects.filter(({ kind }) => kind === 'trigger').length);
    expect(calls.filter(({ caller, called }) => wingOf(called) > wingOf(caller))).toEqual([]);
  });

  it('are all in the table of triggers in docs/wings/1-platform.md, if they are triggers, with their tables', () => {
    const text = readFileSync(join(__dirname, '../../docs/wings/1-platform.md'), 'utf8');
    const rows = [...text.matchAll(/^\| `(\w+)` +\| `(\w+)` +\|/gm)].map(
      ([, trigger, table]) => `${trigger} on ${table}`,
    );
    const triggers = objects.filter(({ kind }) => kind === 'trigger');
    const tableOf = ({ definition }: SchemaObject) => / on (\w+)/.exec(definition.replaceAll(/^--.*\n/gm, ''))?.[1];
    expect(rows.toSorted()).toEqual(triggers.map((one) => `${one.name} on ${tableOf(one)}`).toSorted());
  });
});
