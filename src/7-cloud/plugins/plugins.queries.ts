import type { QueryResultRow } from 'pg';
import type { Slice } from '../../1-platform/common/answers/paging';
import { statement, type Values } from '../../1-platform/database/transactions/statement';
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

// Both objects of an upload have the same time. This time orders the uploads.
const ANNOUNCE = `
  insert into plugin_objects (org_id, id, slot, object_key, name, plugin, kind, install_dir, version, arch,
    build, repository, checksum, daemon_versions, state, announced_at)
  select $org_id, o.id, o.slot, o.object_key, $name, $plugin, $kind, $install_dir, $version, $arch, $build,
    $repository, $checksum, $daemon_versions, 'awaited', now.at
  from unnest($ids::uuid[], $slots::text[], $object_keys::text[]) o(id, slot, object_key),
    (select clock_timestamp() as at) now`;

export async function announce(tx: Tx, upload: Announcement, objects: readonly AnnouncedObject[]): Promise<void> {
  const { installDir, daemonVersions, ...named } = upload;
  await tx.query(ANNOUNCE, {
    ...named,
    org_id: tx.orgId,
    install_dir: installDir,
    daemon_versions: daemonVersions,
    ids: objects.map(({ id }) => id),
    slots: objects.map(({ slot }) => slot),
    object_keys: objects.map(({ objectKey }) => objectKey),
  });
}

/** A file, and the uploads of it that count. */
export interface Wanted {
  readonly name: string;
  readonly arch: string;
  readonly build: string;
  /** Undefined: the latest. */
  readonly version: string | undefined;
  /** Undefined: any. */
  readonly repository: string | undefined;
}

// A publisher who uploaded wrong bytes can upload the right ones while the address is valid.
// One that has never been there does not come back.
const MAY_CHANGE = `(state = 'awaited' or state = 'gone' and published_at is not null or state = 'mismatched'
    and announced_at > clock_timestamp() - make_interval(secs => $url_seconds))`;

/** Which objects a request checks. */
export interface Looked {
  readonly limit: number;
  /** How long an address is valid. */
  readonly urlSeconds: number;
}

const UPLOADS_OF_FILE = `org_id = $org_id and name = $name and arch = $arch and build = $build
  and ($repository::text is null or repository = $repository)`;

const OF_FILE = `${UPLOADS_OF_FILE}
    and case when $version::text is null then slot = 'latest' else version = $version end`;

const valuesOf = (tx: Tx, { name, arch, build, repository, version }: Wanted): Values => ({
  org_id: tx.orgId,
  name,
  arch,
  build,
  repository: repository ?? null,
  version: version ?? null,
});

/** Newest first; of one upload, the object of its version. */
const NEWEST = "announced_at desc, (slot = 'version') desc, id desc";

/** Of each file of a version, the last upload that arrived. */
const LAST_OF_FILE = `(state in ('available', 'mismatched')) desc, ${NEWEST}`;

// Such a version of a plugin is not listed, so it is not the latest. What is only announced may have arrived.
const IS_SPOILT = `exists (select from (
    select distinct on (name) state from plugin_objects f
    where f.org_id = o.org_id and f.arch = o.arch and f.build = o.build and f.plugin = o.plugin
      and f.version = o.version and ($repository::text is null or f.repository = $repository)
    order by name, ${LAST_OF_FILE}
  ) files where state in ('mismatched', 'gone'))`;

// The last upload of a version counts. The previous latest version is served until the next one is verified.
const SERVED = `
  select ${OBJECT_COLUMNS} from plugin_objects o
  where ${OF_FILE} and case when $version::text is null then state = 'available' and not ${IS_SPOILT}
    else state in ('available', 'mismatched') end
  order by ${NEWEST} limit 1`;

export const servedObject = async (tx: Tx, wanted: Wanted): Promise<ObjectRow | undefined> =>
  (await tx.query<ObjectRow & QueryResultRow>(SERVED, valuesOf(tx, wanted)))[0];

const ANY_MISMATCHED = `
  select 1 from plugin_objects where ${UPLOADS_OF_FILE} and state = 'mismatched'
    and ($version::text is null or version = $version) limit 1`;

export const anyMismatched = async (tx: Tx, wanted: Wanted): Promise<boolean> =>
  (await tx.query(ANY_MISMATCHED, valuesOf(tx, wanted))).length > 0;

const UNSEEN_OF_FILE = `
  select ${OBJECT_COLUMNS} from plugin_objects
  where ${OF_FILE} and ${MAY_CHANGE} order by ${NEWEST} limit $limit`;

/** Objects that may have arrived since the last check. */
export const unseenOfFile = (tx: Tx, wanted: Wanted, { limit, urlSeconds }: Looked): Promise<ObjectRow[]> =>
  tx.query<ObjectRow & QueryResultRow>(UNSEEN_OF_FILE, { ...valuesOf(tx, wanted), limit, url_seconds: urlSeconds });

// A file that has gone, or was overwritten, has been published all the same: the name stays its publisher's.
const FIRST_REPOSITORY = `
  select repository from plugin_objects
  where org_id = $org_id and name = $name and published_at is not null
  order by announced_at, id limit 1`;

/** The repository that published a name first. */
export const firstRepository = async (tx: Tx, name: string): Promise<string | undefined> =>
  (await tx.query<{ repository: string }>(FIRST_REPOSITORY, { org_id: tx.orgId, name }))[0]?.repository;

export interface Shelf {
  readonly arch: string;
  readonly build: string;
}

// One look-up in the index for each name: a plugin may have thousands of versions. No more names are looked
// up than are read.
const NAMES = `
  with recursive names(plugin) as (
    (select plugin from plugin_objects where org_id = $org_id and arch = $arch and build = $build
      order by plugin limit 1)
    union all
    select (
      select p.plugin from plugin_objects p
      where p.org_id = $org_id and p.arch = $arch and p.build = $build and p.plugin > names.plugin
      order by p.plugin limit 1
    ) from names where names.plugin is not null
  )
  select plugin from names where plugin is not null limit $limit offset $offset`;

/** Names of plugins, in order: one more than the limit, if there are more. */
export async function namesOnShelf(tx: Tx, { arch, build }: Shelf, { limit, offset }: Slice): Promise<string[]> {
  const values = { org_id: tx.orgId, arch, build, limit: limit + 1, offset };
  return (await tx.query<{ plugin: string }>(NAMES, values)).map(({ plugin }) => plugin);
}

/** Some of the plugins of a shelf. */
export interface Part extends Shelf {
  readonly plugins: readonly string[];
}

const ON_SHELF = 'org_id = $org_id and arch = $arch and build = $build and plugin = any($plugins::text[])';

const partOf = (tx: Tx, { arch, build, plugins }: Part): Values => ({ org_id: tx.orgId, arch, build, plugins });

const UNSEEN_ON_SHELF = `
  select ${OBJECT_COLUMNS} from plugin_objects where ${ON_SHELF} and ${MAY_CHANGE}
  order by ${NEWEST} limit $limit`;

export const unseenOnShelf = (tx: Tx, part: Part, { limit, urlSeconds }: Looked): Promise<ObjectRow[]> =>
  tx.query<ObjectRow & QueryResultRow>(UNSEEN_ON_SHELF, { ...partOf(tx, part), limit, url_seconds: urlSeconds });

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

// For each file of a version, the last upload that arrived. While a file of a version is only announced, the
// version is not listed. The rows are read once: a join with themselves would be one of all with all, as long
// as PostgreSQL expects few of them.
const VERSIONS = `
  with files as (
    select distinct on (plugin, version, name) plugin, version, name, state, announced_at, daemon_versions,
      max(announced_at) filter (where slot = 'latest' and state = 'available')
        over (partition by plugin, version) as latest_at
    from plugin_objects where ${ON_SHELF}
    order by plugin, version, name, ${LAST_OF_FILE}
  )
  select plugin, version, bool_and(state = 'available') as available, max(announced_at) as at,
    max(latest_at) as latest_at,
    array(select distinct unnest(array_remove(array_agg(daemon_versions), null))) as daemon_versions
  from files group by plugin, version order by plugin, version`;

export const versionsOnShelf = (tx: Tx, part: Part): Promise<VersionRow[]> =>
  tx.query<VersionRow & QueryResultRow>(VERSIONS, partOf(tx, part));

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
    select distinct on (p.plugin, p.version, p.name) p.plugin, p.version, p.name, p.kind, p.install_dir,
      p.checksum, p.size_bytes, p.published_at, p.announced_at, p.id
    from plugin_objects p
    join unnest($plugins::text[], $versions::text[]) wanted(plugin, version) on wanted.plugin = p.plugin
      and wanted.version = p.version
    where p.org_id = $org_id and p.arch = $arch and p.build = $build and p.state = 'available'
    order by p.plugin, p.version, p.name, p.announced_at desc, (p.slot = 'version') desc, p.id desc
  ) files order by announced_at, id`;

/** Files of some versions of plugins, in the order of their uploads. */
export const filesOf = (
  tx: Tx,
  { arch, build }: Shelf,
  some: readonly { readonly plugin: string; readonly version: string }[],
): Promise<FileRow[]> =>
  tx.query<FileRow & QueryResultRow>(FILES, {
    org_id: tx.orgId,
    arch,
    build,
    plugins: some.map(({ plugin }) => plugin),
    versions: some.map(({ version }) => version),
  });

export interface Verdict {
  readonly state: Extract<ObjectState, 'available' | 'mismatched' | 'gone'>;
  readonly objectTag: string | null;
  readonly sizeBytes: number | null;
}

// Changes nothing if a concurrent check was faster.
const JUDGE = `
  update plugin_objects set state = $state, object_tag = coalesce($object_tag, object_tag),
    size_bytes = coalesce($size_bytes, size_bytes),
    published_at = case when $state = 'available' then coalesce(published_at, $now) else published_at end
  where org_id = $org_id and id = $id and state = $seen_state and object_tag is not distinct from $seen_tag`;

/** @param seen the object as it was when it was checked */
export async function judge(tx: Tx, seen: ObjectRow, verdict: Verdict, now: Date): Promise<void> {
  const { state, objectTag, sizeBytes } = verdict;
  await tx.query(JUDGE, {
    org_id: tx.orgId,
    id: seen.id,
    state,
    object_tag: objectTag,
    size_bytes: sizeBytes,
    now,
    seen_state: seen.state,
    seen_tag: seen.object_tag,
  });
}

export interface AwaitedRow extends ObjectRow {
  readonly org_id: string;
  readonly announced_at: Date;
  /** Its address has been invalid for a while. */
  readonly overdue: boolean;
}

const AWAITED = statement(
  'plugins-awaited',
  `
    select org_id, ${OBJECT_COLUMNS}, announced_at,
      announced_at < clock_timestamp() - make_interval(secs => $overdue_seconds) as overdue
    from plugin_objects where state = 'awaited'
      and ($announced_at::timestamptz is null or (announced_at, id) > ($announced_at, $id::uuid))
    order by announced_at, id limit $limit`,
);

/** For all organisations, oldest first. */
export const awaitedObjects = (
  tx: Tx,
  behind: AwaitedRow | undefined,
  limit: number,
  overdueSeconds: number,
): Promise<AwaitedRow[]> =>
  tx.prepared<AwaitedRow & QueryResultRow>(AWAITED, {
    announced_at: behind?.announced_at ?? null,
    id: behind?.id ?? null,
    limit,
    overdue_seconds: overdueSeconds,
  });

// The only upload of a file of a version of which other files have arrived stays, as gone: without it, the
// version would be listed as if it were complete. A version that had become the latest before was complete:
// such an upload is a wrong name, or one file more, and does not take the version away.
const FORGET_AWAITED = `
  with kept as (
    update plugin_objects o set state = 'gone'
    where o.org_id = $org_id and o.id = $id and o.state = 'awaited' and o.slot = 'version'
      and exists (select from plugin_objects f where f.org_id = o.org_id and f.arch = o.arch
        and f.build = o.build and f.plugin = o.plugin and f.version = o.version
        and f.published_at is not null)
      and not exists (select from plugin_objects f where f.org_id = o.org_id and f.arch = o.arch
        and f.build = o.build and f.plugin = o.plugin and f.version = o.version and f.name = o.name
        and f.id <> o.id and f.state <> 'awaited')
      and not exists (select from plugin_objects f where f.org_id = o.org_id and f.arch = o.arch
        and f.build = o.build and f.plugin = o.plugin and f.version = o.version
        and f.slot = 'latest' and f.published_at is not null and f.announced_at < o.announced_at)
    returning o.id, o.name, o.plugin, o.version
  ), forgotten as (
    delete from plugin_objects o where o.org_id = $org_id and o.id = $id and o.state = 'awaited'
      and not exists (select from kept)
  )
  select name, plugin, version from kept`;

/** A file without which its version is not listed. */
export interface MissingFile {
  readonly name: string;
  readonly plugin: string;
  readonly version: string;
}

/** An announced object whose address has expired. @returns what its version lacks from now on */
export const forgetAwaited = async (tx: Tx, id: string): Promise<MissingFile | undefined> =>
  (await tx.query<MissingFile & QueryResultRow>(FORGET_AWAITED, { org_id: tx.orgId, id }))[0];
