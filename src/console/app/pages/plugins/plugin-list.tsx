import type { UseQueryResult } from '@tanstack/react-query';
import { Section } from '../../parts/page';
import { Loaded, NothingMatches, NothingYet } from '../../parts/states';
import { Status } from '../../parts/status';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Choice, Filters, NameFilter, Pick } from '../../parts/table/filters';
import { OpenLink } from '../../parts/table/open-link';
import { sourceOf } from '../../parts/table/row-source';
import { Moment } from '../../parts/time/moment';
import { bytes, plural } from '../../parts/units';
import { publishCommand } from './install-commands';
import { MOST, type Plugin, type Shelf } from './plugins-queries';
import type { PluginsSearch } from './plugins-search';
import styles from './plugins.module.css';

interface PluginListProps {
  readonly shelf: UseQueryResult<Shelf>;
  readonly search: PluginsSearch;
  readonly change: (part: Partial<PluginsSearch>) => void;
  readonly open: (name: string) => void;
}

const NO_FILTERS = { names: undefined, compatibility: undefined, arch: undefined, build: undefined };

const isFiltered = ({ names, compatibility, arch, build }: PluginsSearch): boolean =>
  [names, compatibility, arch, build].some((value) => value !== undefined);

/** Other architectures work in the address. */
const ARCHITECTURES = ['amd64', 'arm64'];

export function PluginList({ shelf, search, change, open }: PluginListProps) {
  const { arch } = search;
  return (
    <Section title="Plugins" summary={shelf.data && summaryOf(shelf.data, search)}>
      <Filters label="Filter plugins">
        <Choice
          label="Build"
          all="Release"
          words={{ alpha: 'Alpha' }}
          value={search.build === 'alpha' ? 'alpha' : undefined}
          change={(build) => change({ build })}
        />
        <Pick
          label="Architecture"
          data={arch === undefined || ARCHITECTURES.includes(arch) ? ARCHITECTURES : [...ARCHITECTURES, arch]}
          value={arch}
          change={(chosen) => change({ arch: chosen })}
        />
        <NameFilter
          label="Daemon version"
          value={search.compatibility}
          change={(compatibility) => change({ compatibility })}
        />
        <NameFilter label="Plugin names" value={search.names} change={(names) => change({ names })} />
      </Filters>
      <Loaded query={shelf} lines={6}>
        {({ plugins, unavailable }) => (
          <>
            {unavailable.length > 0 && (
              <p className={styles.trouble}>
                Without a version that matches: {unavailable.slice(0, SHOWN).join(', ')}
                {unavailable.length > SHOWN && ` and ${unavailable.length - SHOWN} more`}
              </p>
            )}
            {plugins.length > 0 ? (
              <DataTable
                label="Plugins"
                columns={columnsOf(open)}
                source={sourceOf(plugins)}
                keyOf={({ name, version }) => `${name}@${version}`}
              />
            ) : isFiltered(search) ? (
              <NothingMatches what="plugins" clear={() => change(NO_FILTERS)} />
            ) : (
              <NothingYet title="No plugin is published yet" command={publishCommand(window.location.origin)}>
                Publish one from a checkout of this service. The command uploads a file, and compares it with what is
                then served:
              </NothingYet>
            )}
          </>
        )}
      </Loaded>
    </Section>
  );
}

/** More names are only counted. */
const SHOWN = 10;

function summaryOf({ plugins }: Shelf, { arch = 'amd64', build = 'release', compatibility }: PluginsSearch): string {
  const versions = compatibility === undefined ? 'the latest version of each' : `the newest that fit ${compatibility}`;
  const first = plugins.length === MOST ? 'the first ' : '';
  return `${first}${plural(plugins.length, 'plugin')} for ${arch}, ${build} builds, ${versions}`;
}

const columnsOf = (open: PluginListProps['open']): readonly Column<Plugin>[] => [
  {
    id: 'name',
    header: 'Plugin',
    width: 'minmax(8rem, 1.4fr)',
    cell: ({ name }) => (
      <OpenLink row={name} open={open}>
        {name}
      </OpenLink>
    ),
  },
  {
    id: 'version',
    header: 'Version',
    width: 'minmax(8rem, 1.2fr)',
    cell: ({ version, latest_version: latest }) => (
      <div className={styles.stack}>
        <span>{version}</span>
        {latest !== version && <span className={styles.quiet}>the latest is {latest}</span>}
      </div>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    width: 'minmax(8rem, 1fr)',
    cell: ({ status }) => (
      <Status tone={status === 'AVAILABLE' ? 'good' : 'warn'}>
        {status === 'AVAILABLE' ? 'Latest' : status === 'OUTDATED' ? 'Not the latest' : status}
      </Status>
    ),
  },
  {
    id: 'type',
    header: 'Support',
    width: 'minmax(7rem, 1fr)',
    cell: ({ type }) => type.charAt(0) + type.slice(1).toLowerCase(),
  },
  {
    id: 'files',
    header: 'Files',
    width: '5rem',
    cell: ({ name, binaries, libraries }) => (
      <OpenLink row={name} open={open}>
        {binaries.length + libraries.length}
      </OpenLink>
    ),
  },
  { id: 'size', header: 'Size', width: '6rem', cell: ({ size }) => bytes(size) },
  { id: 'published', header: 'Published', width: '7rem', cell: ({ published_at: at }) => <Moment at={at} /> },
];
