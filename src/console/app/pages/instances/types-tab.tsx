import { useInfiniteQuery } from '@tanstack/react-query';
import { Section } from '../../parts/page';
import { Loading, NothingMatches, NothingYet, Problem } from '../../parts/states';
import { DataTable, type Column, type Sorting } from '../../parts/table/data-table';
import { Choice, Filters, NameFilter } from '../../parts/table/filters';
import { useContinued } from '../../parts/table/row-source';
import { money, plural } from '../../parts/units';
import { dollarsPerHour } from './instance-cost';
import { typesQuery, type InstanceType } from './instances-queries';
import type { TabProps } from './instances-search';
import { freeRegions, RequestInstance } from './request-instance';
import styles from './instances.module.css';

const GPUS = { '1': '1', '2': '2', '4': '4', '8': '8' } as const;

/** What the marketplace offers, with its prices. */
export function TypesTab({ search, change, unusable }: TabProps) {
  const query = useInfiniteQuery(typesQuery(search));
  const source = useContinued(query);
  const loaded = query.data?.pages.flatMap(({ rows }) => rows).length;
  const sorting: Sorting = {
    by: 'price',
    isAscending: search.order !== 'dearest',
    change: (_, isAscending) => change({ order: isAscending ? undefined : 'dearest' }),
  };
  return (
    <Section
      title="Types to rent"
      summary={
        loaded !== undefined && `${plural(loaded, 'type')}${source.hasAll ? '' : ' and more'}, at most a minute old`
      }
    >
      <Filters label="Filter types">
        <Choice
          label="GPUs"
          all="Any number of GPUs"
          words={GPUS}
          value={search.gpus as keyof typeof GPUS | undefined}
          change={(gpus) => change({ gpus })}
        />
        <NameFilter label="GPU, such as H100" value={search.gpu} change={(gpu) => change({ gpu })} />
      </Filters>
      {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading lines={10} />}
      {source.count > 0 && (
        <DataTable
          label="Types to rent"
          columns={columnsOf(unusable)}
          source={source}
          keyOf={({ cloud, cloud_instance_type: type, deployment_type: kind, marketplace_instance_type: name }) =>
            [cloud, type, kind, name].join(' ')
          }
          sorting={sorting}
        />
      )}
      {loaded === 0 &&
        (search.gpus !== undefined || search.gpu !== undefined ? (
          <NothingMatches what="types" clear={() => change({ gpus: undefined, gpu: undefined })} />
        ) : (
          <NothingYet title="The marketplace offers no type" />
        ))}
    </Section>
  );
}

const gpusOf = ({
  configuration: { num_gpus: number, gpu_type: type, vram_per_gpu_in_gb: gb },
}: InstanceType): string =>
  number === undefined || number === 0
    ? 'none'
    : [`${number} ×`, type ?? 'GPU', gb !== undefined && `${gb} GB`].filter((part) => part).join(' ');

const machineOf = ({ configuration: { vcpus, memory_in_gb: memory, storage_in_gb: storage } }: InstanceType): string =>
  [
    vcpus !== undefined && plural(vcpus, 'CPU'),
    memory !== undefined && `${memory} GB memory`,
    storage !== undefined && `${storage} GB disk`,
  ]
    .filter((part) => part)
    .join(', ') || 'not reported';

const SECONDS_PER_MINUTE = 60;

const bootOf = ({ boot_time: { min_boot_in_sec: least, max_boot_in_sec: most } }: InstanceType): string => {
  const minutes = (seconds: number): string => String(Math.max(1, Math.round(seconds / SECONDS_PER_MINUTE)));
  if (least === undefined || most === undefined) return '–';
  return minutes(least) === minutes(most) ? `${minutes(most)} min` : `${minutes(least)}–${minutes(most)} min`;
};

const columnsOf = (unusable: string | undefined): readonly Column<InstanceType>[] => [
  {
    id: 'type',
    header: 'Type',
    width: 'minmax(8rem, 1.2fr)',
    cell: ({ marketplace_instance_type: type, cloud }) => (
      <div className={styles.stack}>
        <span>{type}</span>
        <span className={styles.quiet}>{cloud}</span>
      </div>
    ),
  },
  { id: 'gpus', header: 'GPUs', width: 'minmax(8rem, 1.2fr)', cell: gpusOf },
  { id: 'machine', header: 'Machine', width: 'minmax(10rem, 1.6fr)', cell: machineOf },
  {
    id: 'price',
    header: 'Per hour',
    width: '6rem',
    align: 'end',
    sort: 'price',
    cell: ({ hourly_price: cents }) => money(dollarsPerHour(cents)),
  },
  { id: 'boot', header: 'Start', width: '6rem', cell: bootOf },
  {
    id: 'regions',
    header: 'Free in',
    width: 'minmax(8rem, 1.2fr)',
    cell: (type) => {
      const regions = freeRegions(type).map(({ label }) => label);
      return regions.length === 0 ? <span className={styles.quiet}>no region</span> : regions.join(', ');
    },
  },
  {
    id: 'request',
    header: 'Action',
    width: '7.5rem',
    cell: (type) => <RequestInstance of={type} unusable={unusable} />,
  },
];
