import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { ActionDialog, Plan } from '../../actions/action-dialog';
import { Done } from '../../actions/done';
import { Section } from '../../parts/page';
import { Loading, NothingMatches, NothingYet, Problem } from '../../parts/states';
import { DataTable, type Column } from '../../parts/table/data-table';
import { Filters, NameFilter } from '../../parts/table/filters';
import { useContinued } from '../../parts/table/row-source';
import { useNow } from '../../parts/time/clock';
import { Moment } from '../../parts/time/moment';
import { money } from '../../parts/units';
import { costOf, dollarsPerHour, estimateOf, summaryOf } from './instance-cost';
import { InstanceStatus } from './instance-status';
import { deleteInstance, INSTANCES, instancesQuery, type Instance } from './instances-queries';
import type { TabProps } from './instances-search';
import styles from './instances.module.css';

export function InstancesTab({ search, change, unusable }: TabProps) {
  const query = useInfiniteQuery(instancesQuery(search));
  const source = useContinued(query);
  const rows = query.data?.pages.flatMap((page) => page.rows);
  return (
    <Section
      title="Instances"
      summary={rows && summaryOf(rows, source.hasAll)}
      aside={
        <Link to="/instances" search={{ tab: 'types' }}>
          Request an instance
        </Link>
      }
    >
      <Filters label="Filter instances">
        <NameFilter label="Name" value={search.name} change={(name) => change({ name })} />
      </Filters>
      {query.isError && <Problem error={query.error} retry={() => void query.refetch()} />}
      {query.isPending && <Loading lines={6} />}
      {source.count > 0 && (
        <DataTable label="Instances" columns={columnsOf(unusable)} source={source} keyOf={({ id }) => id} />
      )}
      {rows?.length === 0 &&
        (search.name !== undefined ? (
          <NothingMatches what="instances" clear={() => change({ name: undefined })} />
        ) : (
          <NothingYet title="No instance is rented" command={HOW}>
            Choose one of the{' '}
            <Link to="/instances" search={{ tab: 'types' }}>
              types to rent
            </Link>
            , or request one by hand:
          </NothingYet>
        ))}
    </Section>
  );
}

const HOW = `curl -X POST ${window.location.origin}/v1/instances \\
  -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\
  -d '{"name": "burst-1", "cloud": "hyperstack", "region": "canada-1", "marketplace_cloud": true,
       "marketplace_instance_type": "A6000"}'`;

const columnsOf = (unusable: string | undefined): readonly Column<Instance>[] => [
  { id: 'name', header: 'Name', width: 'minmax(8rem, 1.4fr)', cell: ({ name }) => name },
  {
    id: 'status',
    header: 'Status',
    width: 'minmax(7rem, 1.2fr)',
    cell: ({ status, reason }) => (
      <div className={styles.stack}>
        <span>
          <InstanceStatus status={status} />
        </span>
        {reason !== null && <span className={styles.reason}>{reason}</span>}
      </div>
    ),
  },
  {
    id: 'type',
    header: 'Type',
    width: 'minmax(9rem, 1.6fr)',
    cell: ({ instance_type: type, cloud_provider: cloud, region }) => (
      <div className={styles.stack}>
        <span>{type}</span>
        <span className={styles.quiet}>
          {cloud}, {region}
        </span>
      </div>
    ),
  },
  {
    id: 'price',
    header: 'Per hour',
    width: '6rem',
    align: 'end',
    cell: ({ hourly_price: cents }) => (cents === null ? '–' : money(dollarsPerHour(cents))),
  },
  { id: 'cost', header: 'Cost so far', width: 'minmax(8rem, 1fr)', align: 'end', cell: (one) => <Cost of={one} /> },
  {
    id: 'created',
    header: 'Requested',
    width: '7rem',
    cell: ({ created_at: at }) => (at === null ? 'not known' : <Moment at={at} />),
  },
  { id: 'delete', header: 'Action', width: '7rem', cell: (one) => <Delete of={one} unusable={unusable} /> },
];

function Cost({ of }: { of: Instance }) {
  const now = useNow();
  const cost = costOf(of, now);
  if (cost === undefined) return <>not known</>;
  const estimate = estimateOf(of.cost_estimate);
  return (
    <div className={styles.stack}>
      <span>{money(cost.usd)}</span>
      <span className={styles.quiet}>
        {!cost.isComputed
          ? 'as the marketplace estimates'
          : estimate !== undefined && estimate > 0 && `the marketplace says ${money(estimate)}`}
      </span>
    </div>
  );
}

const Delete = ({ of, unusable }: { of: Instance; unusable: string | undefined }) => (
  <ActionDialog
    operation="delete_instance"
    verb="Delete"
    changes={INSTANCES}
    title={`Delete ${of.name}`}
    impossible={of.status === 'deleting' ? 'It is being deleted.' : unusable}
    instead={of.status === 'deleted' && <InstanceStatus status="deleted" />}
  >
    <Plan
      act={() => deleteInstance(of.id)}
      outcome={(_, close) => (
        <Done word="Deletion requested" close={close}>
          <p>The service repeats it until the marketplace has no such machine. Then it leaves the list.</p>
        </Done>
      )}
    >
      <p>
        The marketplace is asked to delete the machine, with everything on its disks. Nobody can undo it. It costs
        nothing any more once the marketplace has deleted it.
      </p>
      {of.status === 'orphaned' && (
        <p>The machine has a tag of this service, and nobody knows who requested it. Make sure that nobody uses it.</p>
      )}
    </Plan>
  </ActionDialog>
);
