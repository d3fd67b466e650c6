import type { DataSource, QueryRunner } from 'typeorm';
import { sqlState } from '../connections/database-errors';
import { bind, statement } from '../transactions/statement';
import type { ObjectKind, SchemaObject } from './schema-objects';

/** An object that exists in the database, created by this service or by others. */
interface StoredObject {
  kind: ObjectKind;
  name: string;
  /** As `drop` takes it. */
  identity: string;
  oid: string;
  /** Changes when the object is written. */
  version: string;
}

/** What a build has written, as the table `schema_objects` holds it. */
interface RecordedObject {
  kind: ObjectKind;
  name: string;
  checksum: string;
  revision: number;
}

// Functions and views of extensions are not listed, nor triggers that partitions have from their parent.
const STORED = `
  with extended as (select classid, objid from pg_depend where deptype = 'e')
  select 'function' as kind, p.proname as name, p.oid::regprocedure::text as identity, p.oid::text,
    p.xmin::text as version
  from pg_proc p
  where p.pronamespace = current_schema()::regnamespace
    and not exists (select from extended e where e.classid = 'pg_proc'::regclass and e.objid = p.oid)
  union all
  select 'view', c.relname, c.oid::regclass::text, c.oid::text, c.xmin::text
  from pg_class c
  where c.relnamespace = current_schema()::regnamespace and c.relkind = 'v'
    and not exists (select from extended e where e.classid = 'pg_class'::regclass and e.objid = c.oid)
  union all
  select 'trigger', t.tgname, format('%I on %s', t.tgname, t.tgrelid::regclass), t.oid::text, t.xmin::text
  from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where c.relnamespace = current_schema()::regnamespace and not t.tgisinternal and t.tgparentid = 0`;

const storedObjects = (runner: QueryRunner): Promise<StoredObject[]> => runner.query(STORED);

const RECORDED = 'select kind, name, checksum, revision from schema_objects';

const FORGET = 'delete from schema_objects';
const RECORD = statement(
  'schema-objects-record',
  `insert into schema_objects (kind, name, checksum, revision)
   select kind, name, checksum, $revision
   from unnest($kinds::text[], $names::text[], $checksums::text[]) as t(kind, name, checksum)`,
);

/**
 * Brings functions, views and triggers to what the files define, in one transaction: writes those that
 * changed or are missing, and drops those that an earlier build wrote and whose files are gone. Objects that
 * somebody else made stay. Call it under the lock of the migrations. If nothing changed, it costs two reads.
 *
 * @param revision of these files; a database that a later revision has written is left alone
 */
export async function applySchemaObjects(
  runner: QueryRunner,
  objects: readonly SchemaObject[],
  revision: number,
): Promise<void> {
  const recorded = (await runner.query(RECORDED)) as RecordedObject[];
  if (recorded.some((one) => one.revision > revision)) return;
  const stored = await storedObjects(runner);
  const isUpToDate = (object: SchemaObject): boolean =>
    recorded.some((one) => isRecorded(one, object)) && stored.some((one) => isSame(one, object));
  const changed = objects.filter((object) => !isUpToDate(object));
  const gone = recorded.filter((one) => !objects.some((object) => isSame(one, object)));
  const isRaised = recorded.some((one) => one.revision < revision);
  if (changed.length === 0 && gone.length === 0 && !isRaised) return;

  await runner.startTransaction();
  try {
    const obsolete = stored.filter((one) => gone.some((object) => isSame(one, object)));
    // Triggers and views go first, and functions last: changed ones may have called them.
    for (const one of obsolete) if (one.kind !== 'function') await drop(runner, one);
    for (const object of changed)
      await write(
        runner,
        object,
        stored.filter((one) => isSame(one, object)),
        recorded.some((one) => isSame(one, object)),
      );
    await dropNamesakes(runner, changed, stored, recorded);
    for (const one of obsolete) if (one.kind === 'function') await drop(runner, one);
    await runner.query(FORGET);
    const record = bind(RECORD, {
      kinds: objects.map(({ kind }) => kind),
      names: objects.map(({ name }) => name),
      checksums: objects.map(({ checksum }) => checksum),
      revision,
    });
    await runner.query(record.text, record.values);
    await runner.commitTransaction();
  } catch (error) {
    await runner.rollbackTransaction();
    throw error;
  }
}

/** Whether a database has what the files define, or what a later revision made of it. Changes nothing. */
export async function hasSchemaObjects(
  dataSource: DataSource,
  objects: readonly SchemaObject[],
  revision: number,
): Promise<boolean> {
  const recorded = await dataSource.query<RecordedObject[]>(RECORDED);
  if (recorded.some((one) => one.revision > revision)) return true;
  return objects.every((object) => recorded.some((one) => isRecorded(one, object)));
}

const isRecorded = (recorded: RecordedObject, object: SchemaObject): boolean =>
  isSame(recorded, object) && recorded.checksum === object.checksum;

const isSame = (a: { kind: string; name: string }, b: { kind: string; name: string }): boolean =>
  a.kind === b.kind && a.name === b.name;

const drop = (runner: QueryRunner, { kind, identity }: StoredObject): Promise<unknown> =>
  runner.query(['drop', kind, identity].join(' '));

/** Codes of PostgreSQL for what `create or replace` cannot change, such as the name of a parameter. */
const NOT_REPLACEABLE = ['42P13', '42P16'];

/** A mistake in the files. */
const renameFunction = (name: string): Error =>
  new Error(
    `the parameters or the result of the function ${name} changed: give it a new name, because replicas of the` +
      ' previous release still call it. If no release has it, drop it by hand',
  );

/**
 * @param before what has its name; `create or replace` cannot always replace it
 * @param isKnown whether a build has written it, so that other replicas may use it
 */
async function write(
  runner: QueryRunner,
  object: SchemaObject,
  before: readonly StoredObject[],
  isKnown: boolean,
): Promise<void> {
  await runner.query('savepoint replace_object');
  try {
    // Concurrent callers find the old one or the new one.
    await runner.query(object.definition);
  } catch (error) {
    if (!NOT_REPLACEABLE.includes(sqlState(error) ?? '')) throw error;
    if (isKnown && object.kind === 'function') throw renameFunction(object.name);
    await runner.query('rollback to savepoint replace_object');
    for (const one of before) await drop(runner, one);
    await runner.query(object.definition);
  }
  await runner.query('release savepoint replace_object');
}

/**
 * Drops what has the name of an object that was just written, and is another one: a function with
 * other parameters, or a trigger of another table.
 */
async function dropNamesakes(
  runner: QueryRunner,
  written: readonly SchemaObject[],
  before: readonly StoredObject[],
  recorded: readonly RecordedObject[],
): Promise<void> {
  const after = await storedObjects(runner);
  for (const object of written) {
    const namesakes = after.filter((one) => isSame(one, object));
    const untouched = namesakes.filter(({ oid, version }) =>
      before.some((one) => one.oid === oid && one.version === version),
    );
    // A view that is replaced keeps its version.
    if (namesakes.length <= 1) continue;
    if (object.kind === 'function' && recorded.some((one) => isSame(one, object))) throw renameFunction(object.name);
    for (const one of untouched) await drop(runner, one);
  }
}
