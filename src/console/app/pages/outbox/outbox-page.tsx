import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, read, type Schemas } from '../../api/client';
import { refreshEvery } from '../../api/live';
import { DataTable, type Column } from '../../parts/table/data-table';
import { sourceOf } from '../../parts/table/row-source';
import { useNow } from '../../parts/time/clock';
import { Moment } from '../../parts/time/moment';
import { Page, Section } from '../../parts/page';
import { Loaded, NothingYet } from '../../parts/states';
import { Status } from '../../parts/status';
import { count, plural } from '../../parts/units';

type Consumer = Schemas['OutboxConsumerView'];

/** The lag has no event of its own. */
const REFRESH_MS = 5_000;
/** A consumer that polls is seen within half a minute; one that was not for this long is gone or stuck. */
const SILENT_MS = 2 * 60_000;

const consumersQuery = queryOptions({
  queryKey: ['outbox-consumers'],
  queryFn: ({ signal }) => read(api.GET('/v1/inference/outbox/consumers', { signal })),
  refetchInterval: refreshEvery(REFRESH_MS),
});

const HOW = `curl "${window.location.origin}/v1/inference/outbox?consumer_id=my-controller&wait_ms=25000" \\
  -H "Authorization: Bearer $TOKEN"`;

export function OutboxPage() {
  const consumers = useQuery(consumersQuery);
  const now = useNow();
  return (
    <Page title="Outbox">
      <Section title="Consumers and their lag" summary={consumers.data && summaryOf(consumers.data, now)}>
        <Loaded query={consumers} lines={6}>
          {(all) =>
            all.length === 0 ? (
              <NothingYet title="Nothing has read the outbox yet" command={HOW}>
                The outbox holds the events by which controllers learn what to do. A controller becomes a consumer when
                it first reads, as here:
              </NothingYet>
            ) : (
              <DataTable
                label="Consumers"
                columns={columnsOf(now)}
                source={sourceOf(all.toSorted((a, b) => b.lag_events - a.lag_events))}
                keyOf={({ consumer_id: id }) => id}
              />
            )
          }
        </Loaded>
      </Section>
    </Page>
  );
}

const isSilent = ({ last_seen_at: at }: Consumer, now: number): boolean => now - Date.parse(at) > SILENT_MS;

function summaryOf(all: readonly Consumer[], now: number): string {
  const behind = all.filter(({ lag_events: lag }) => lag > 0);
  const silent = behind.filter((one) => isSilent(one, now));
  const whole = plural(all.length, 'consumer');
  if (behind.length === 0) return `${whole}; all have acknowledged every event`;
  return `${whole}; ${count(behind.length)} behind, ${count(silent.length)} of them silent`;
}

const columnsOf = (now: number): readonly Column<Consumer>[] => [
  { id: 'name', header: 'Consumer', width: 'minmax(11rem, 2fr)', cell: ({ consumer_id: id }) => id },
  {
    id: 'state',
    header: 'State',
    width: 'minmax(9rem, 1fr)',
    cell: (consumer) => {
      if (consumer.lag_events === 0) return <Status tone="good">Up to date</Status>;
      return isSilent(consumer, now) ? (
        <Status tone="bad">Silent, behind</Status>
      ) : (
        <Status tone="busy">Catching up</Status>
      );
    },
  },
  { id: 'lag', header: 'Events behind', width: '8rem', align: 'end', cell: ({ lag_events: lag }) => count(lag) },
  {
    id: 'acknowledged',
    header: 'Newest acknowledged',
    width: '10rem',
    align: 'end',
    cell: ({ acknowledged_event_id: id }) => (id === null ? 'none' : `no. ${count(id)}`),
  },
  { id: 'seen', header: 'Last seen', width: '8rem', cell: ({ last_seen_at: at }) => <Moment at={at} /> },
];
