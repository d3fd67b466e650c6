import type { QueryResultRow } from 'pg';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { ObjectState, PluginKind, PluginSlot } from './uploads/plugin-objects';

/** The names of an object in the storage. */
export interface ObjectRow {
  readonly id: string;
  readonly object_key: string;
  readonly checksum: string | null;
  readonly state: ObjectState;
  readonly object_tag: string | null;
}

const OBJECT_COLUMNS = 'id, object_key, checksum, state, object_tag';

export interface Announcement {
  readonly name: string;
  readonly plugin: string;
  readonly kind: PluginKind;
  readonly installDir: string;
  readonly version: string;
  readonly arch: string;
  readonly build: string;
  /** Empty if its publisher named none. */
  readonly repository: string;
  readonly daemonVersions: string | null;
  readonly checksum: string | null;
}

export interface AnnouncedObject {
  readonly slot: PluginSlot;
  readonly id: string;
  readonly objectKey: string;
}

// Both of an upload have the same time, which orders the uploads.
const ANNOUNCE = `
  insert into plugin_objects (org_id, id, slot, object_key, name, plugin, kind, install_dir, version, arch, build, repository, checksum, daemon_versions, state, announced_at)
  select $1, o.id, o.slot, o.object_key, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 'awaited', now.at
  from unnest($2::uuid[], $3::text[], $4::text[]) o(id, slot, object_key), (select clock_timestamp() as at) now`;

export async function announce(tx: Tx, upload: Announcement, objects: readonly AnnouncedObject[]): Promise<void> {
  const { name, plugin, kind, installDir, version, arch, build, repository, checksum, daemonVersions } = upload;
  const places = [objects.map(({ id }) => id), objects.map(({ slot }) => slot), objects.map((o) => o.objectKey)];
  const values = [name, plugin, kind, installDir, version, arch, build, repository, checksum, daemonVersions];
  await tx.query(ANNOUNCE, [tx.orgId, ...places, ...values]);
}

/** Which file, and of which uploads. */
export interface Wanted {
  readonly name: string;
  readonly arch: string;
  readonly build: string;
  /** Undefined: the latest. */
  readonly version: string | undefined;
  /** Undefined: any. */
  readonly repository: string | undefined;
}

// Who put the wrong bytes there can put the right ones as long as their address is good.
const MAY_CHANGE = (seconds: string): string =>
  `(state in ('awaited', 'gone') or state = 'mismatched' and announced_at > clock_timestamp() - make_interval(secs => ${seconds}))`;

/** Which objects a request checks. */
export interface Looked {
  readonly limit: number;
  /** How long an address is valid. */
  readonly urlSeconds: number;
}

const OF_FILE = `org_id = $1 and name = $2 and arch = $3 and build = $4 and ($5::text is null or repository = $5)
    and case when $6::text is null then slot = 'latest' else version = $6 end`;

const valuesOf = (tx: Tx, { name, arch, build, repository, version }: Wanted): unknown[] => [
  tx.orgId,
  name,
  arch,
  build,
  repository ?? null,
  version ?? null,
];

/** Newest first; of one upload, the object of its version. */
const NEWEST = "announced_at desc, (slot = 'version') desc, id desc";

// The last upload of a version counts. The previous latest stays until the next one is verified.
const SERVED = `
  select ${OBJECT_COLUMNS} from plugin_objects
  where ${OF_FILE} and (state = 'available' or state = 'mismatched' and $6::text is not null)
  order by ${NEWEST} limit 1`;

export const servedObject = async (tx: Tx, wanted: Wanted): Promise<ObjectRow | undefined> =>
  (await tx.query<ObjectRow & QueryResultRow>(SERVED, valuesOf(tx, wanted)))[0];

const ANY_MISMATCHED = `select 1 from plugin_objects where ${OF_FILE} and state = 'mismatched' limit 1`;

export const anyMismatched = async (tx: Tx, wanted: Wanted): Promise<boolean> =>
  (await tx.query(ANY_MISMATCHED, valuesOf(tx, wanted))).length > 0;

const UNSEEN_OF_FILE = `
  select ${OBJECT_COLUMNS} from plugin_objects
  where ${OF_FILE} and ${MAY_CHANGE('$8')} order by ${NEWEST} limit $7`;

/** Objects that may have arrived since the last check. */
export const unseenOfFile = (tx: Tx, wanted: Wanted, { limit, urlSeconds }: Looked): Promise<ObjectRow[]> =>
  tx.query<ObjectRow & QueryResultRow>(UNSEEN_OF_FILE, [...valuesOf(tx, wanted), limit, urlSeconds]);

const FIRST_REPOSITORY = `
  select repository from plugin_objects where org_id = $1 and name = $2 and state = 'available' order by announced_at, id limit 1`;

/** The repository that published a name first. */
export const firstRepository = async (tx: Tx, name: string): Promise<string | undefined> =>
  (await tx.query<{ repository: string }>(FIRST_REPOSITORY, [tx.orgId, name]))[0]?.repository;

export interface Shelf {
  readonly arch: string;
  readonly build: string;
  /** Undefined: all. */
  readonly plugins: readonly string[] | undefined;
}

const ON_SHELF = 'org_id = $1 and arch = $2 and build = $3 and ($4::text[] is null or plugin = any($4))';

const shelfOf = (tx: Tx, { arch, build, plugins }: Shelf): unknown[] => [tx.orgId, arch, build, plugins ?? null];

const UNSEEN_ON_SHELF = `
  select ${OBJECT_COLUMNS} from plugin_objects where ${ON_SHELF} and ${MAY_CHANGE('$6')} order by ${NEWEST} limit $5`;

export const unseenOnShelf = (tx: Tx, shelf: Shelf, { limit, urlSeconds }: Looked): Promise<ObjectRow[]> =>
  tx.query<ObjectRow & QueryResultRow>(UNSEEN_ON_SHELF, [...shelfOf(tx, shelf), limit, urlSeconds]);

export interface VersionRow {
  readonly plugin: string;
  readonly version: string;
  /** All its files are there, and match their checksums. */
  readonly available: boolean;
  readonly at: Date;
  /** When one of its files last became the latest. */
  readonly latest_at: Date | null;
  /** Ranges of daemons of its files; files without one fit all daemons. */
  readonly daemon_versions: string[];
}

// For each file of a version the last upload that arrived; a file that was only announced withholds its
// version.
const VERSIONS = `
  with files as (
    select distinct on (plugin, version, name) plugin, version, name, state, announced_at, daemon_versions
    from plugin_objects where ${ON_SHELF}
    order by plugin, version, name, (state in ('available', 'mismatched')) desc, ${NEWEST}
  ), latest as (
    select plugin, version, max(announced_at) as at from plugin_objects
    where ${ON_SHELF} and slot = 'latest' and state = 'available' group by plugin, version
  )
  select f.plugin, f.version, bool_and(f.state = 'available') as available, max(f.announced_at) as at, max(l.at) as latest_at,
    array(select distinct unnest(array_remove(array_agg(f.daemon_versions), null))) as daemon_versions
  from files f left join latest l using (plugin, version) group by f.plugin, f.version order by f.plugin, f.version`;

export const versionsOnShelf = (tx: Tx, shelf: Shelf): Promise<VersionRow[]> =>
  tx.query<VersionRow & QueryResultRow>(VERSIONS, shelfOf(tx, shelf));

export interface FileRow {
  readonly plugin: string;
  readonly version: string;
  readonly name: string;
  readonly kind: PluginKind;
  readonly install_dir: string;
  readonly checksum: string | null;
  readonly size_bytes: number;
  readonly published_at: Date;
}

const FILES = `
  select * from (
    select distinct on (p.plugin, p.version, p.name) p.plugin, p.version, p.name, p.kind, p.install_dir, p.checksum, p.size_bytes,
      p.published_at, p.announced_at, p.id
    from plugin_objects p
    join unnest($4::text[], $5::text[]) wanted(plugin, version) on wanted.plugin = p.plugin and wanted.version = p.version
    where p.org_id = $1 and p.arch = $2 and p.build = $3 and p.state = 'available'
    order by p.plugin, p.version, p.name, p.announced_at desc, (p.slot = 'version') desc, p.id desc
  ) files order by announced_at, id`;

/** Files of some versions of plugins, in the order of their uploads. */
export const filesOf = (
  tx: Tx,
  { arch, build }: Pick<Shelf, 'arch' | 'build'>,
  some: readonly { readonly plugin: string; readonly version: string }[],
): Promise<FileRow[]> =>
  tx.query<FileRow & QueryResultRow>(FILES, [
    tx.orgId,
    arch,
    build,
    some.map(({ plugin }) => plugin),
    some.map(({ version }) => version),
  ]);

export interface Verdict {
  readonly state: Extract<ObjectState, 'available' | 'mismatched' | 'gone'>;
  readonly objectTag: string | null;
  readonly sizeBytes: number | null;
}

// Unless a concurrent check was faster.
const JUDGE = `
  update plugin_objects set state = $3, object_tag = coalesce($4, object_tag), size_bytes = coalesce($5, size_bytes),
    published_at = case when $3 = 'available' then coalesce(published_at, $6) else published_at end
  where org_id = $1 and id = $2 and state = $7 and object_tag is not distinct from $8`;

/** @param seen the object as it was when it was checked */
export async function judge(tx: Tx, seen: ObjectRow, verdict: Verdict, now: Date): Promise<void> {
  const { state, objectTag, sizeBytes } = verdict;
  await tx.query(JUDGE, [tx.orgId, seen.id, state, objectTag, sizeBytes, now, seen.state, seen.object_tag]);
}

export interface AwaitedRow extends ObjectRow {
  readonly org_id: string;
  readonly announced_at: Date;
  /** Its address has been invalid for a while. */
  readonly overdue: boolean;
}

const AWAITED = {
  name: 'plugins-awaited',
  text: `
    select org_id, ${OBJECT_COLUMNS}, announced_at, announced_at < clock_timestamp() - make_interval(secs => $4) as overdue
    from plugin_objects where state = 'awaited' and ($1::timestamptz is null or (announced_at, id) > ($1, $2::uuid))
    order by announced_at, id limit $3`,
};

/** For all organisations, oldest first. */
export const awaitedObjects = (
  tx: Tx,
  behind: AwaitedRow | undefined,
  limit: number,
  overdueSeconds: number,
): Promise<AwaitedRow[]> =>
  tx.prepared<AwaitedRow & QueryResultRow>(AWAITED, [
    behind?.announced_at ?? null,
    behind?.id ?? null,
    limit,
    overdueSeconds,
  ]);

const FORGET = "delete from plugin_objects where org_id = $1 and id = $2 and state = 'awaited'";

export async function forgetAwaited(tx: Tx, id: string): Promise<void> {
  await tx.query(FORGET, [tx.orgId, id]);
}
