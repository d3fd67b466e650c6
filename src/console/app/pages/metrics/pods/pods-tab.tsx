import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Schemas } from '../../../api/client';
import { Section } from '../../../parts/page';
import { Loaded, NothingYet } from '../../../parts/states';
import type { Column } from '../../../parts/table/data-table';
import { Choice, Filters } from '../../../parts/table/filters';
import { SmallTable } from '../../../parts/table/small-table';
import { bytes, duration } from '../../../parts/units';
import { TOP, topPodsQuery } from '../metrics-queries';
import type { Change, MetricsSearch } from '../metrics-search';
import { WindowChoice } from '../window-choice';
import { PodSeries } from './pod-series-picture';
import styles from '../metrics.module.css';

type Pod = Schemas['PodTopView'];

const HOW = `# prometheus.yml, with an access token of a controller in the file "token"
remote_write:
  - url: ${window.location.origin}/v1/metrics/write
    authorization: { credentials_file: token }
    write_relabel_configs:
      - source_labels: [__name__]
        regex: 'container_(cpu_usage_seconds_total|memory_working_set_bytes)|kube_pod_(info|owner)'
        action: keep`;

interface PodsTabProps {
  readonly search: Partial<MetricsSearch>;
  readonly change: Change;
}

export function PodsTab({ search, change }: PodsTabProps) {
  const by = search.by ?? 'cpu';
  const pods = useQuery(topPodsQuery(by));
  return (
    <>
      {search.pod !== undefined && (
        <>
          <div className={styles.controls}>
            <WindowChoice search={search} change={change} />
          </div>
          <PodSeries uid={search.pod} search={search} change={change} />
        </>
      )}
      <Section
        title={by === 'cpu' ? 'Pods that used most CPU time' : 'Pods that use most memory'}
        summary={pods.data && summaryOf(pods.data, by)}
      >
        <Filters label="Order pods">
          <Choice
            label="Order"
            all="CPU time"
            words={{ memory: 'Memory' }}
            value={search.by}
            change={(chosen) => change({ by: chosen })}
          />
        </Filters>
        <Loaded query={pods} lines={6}>
          {(rows) =>
            rows.length === 0 ? (
              <NothingYet title="No pod was reported in the last 5 minutes" command={HOW}>
                A Prometheus that scrapes kubelets sends the samples of their pods here:
              </NothingYet>
            ) : (
              <SmallTable
                label="Pods"
                columns={columnsOf(search, change)}
                rows={rows}
                keyOf={(pod, place) => `${pod.pod_uid} ${place}`}
              />
            )
          }
        </Loaded>
      </Section>
    </>
  );
}

/** The answer has no more than these, and does not say how many there are. */
const summaryOf = (rows: readonly Pod[], by: 'cpu' | 'memory'): string => {
  const which = rows.length < TOP ? `all ${rows.length}` : `the first ${TOP}`;
  return `${which} that were reported in the last 5 minutes${by === 'cpu' ? '; CPU time counts since the pod started' : ''}`;
};

const nameOf = ({ namespace, pod_name: name, pod_uid: uid }: Pod): string =>
  name === null ? uid || 'unknown pod' : namespace === null ? name : `${namespace}/${name}`;

const columnsOf = (search: Partial<MetricsSearch>, change: Change): readonly Column<Pod>[] => [
  {
    id: 'pod',
    header: 'Pod',
    width: 'minmax(12rem, 2fr)',
    cell: (pod) =>
      pod.pod_uid === '' ? (
        <>
          {nameOf(pod)} <span className={styles.quiet}>(without a uid, so without a history)</span>
        </>
      ) : (
        <button
          type="button"
          className={styles.linkLike}
          aria-pressed={search.pod === pod.pod_uid}
          title="Show its samples"
          onClick={() => change({ pod: search.pod === pod.pod_uid ? undefined : pod.pod_uid })}
        >
          {nameOf(pod)}
        </button>
      ),
  },
  {
    id: 'cpu',
    header: 'CPU time',
    width: '8rem',
    align: 'end',
    cell: ({ cpu_usage_seconds: seconds }) => (seconds === 0 ? 'not reported' : duration(seconds * 1e9)),
  },
  {
    id: 'memory',
    header: 'Memory',
    width: '8rem',
    align: 'end',
    cell: ({ memory_bytes: used }) => (used === 0 ? 'not reported' : bytes(Math.round(used))),
  },
  { id: 'node', header: 'Node', width: 'minmax(8rem, 1fr)', cell: ({ node_name: node }) => node || 'unknown' },
  {
    id: 'workload',
    header: 'Workload',
    width: '7rem',
    cell: ({ pod_uid: uid, pod_name: name }) =>
      name === null ? (
        '–'
      ) : (
        <Link to="/workloads" search={uid === '' ? { name } : { name, open: uid }}>
          Show
        </Link>
      ),
  },
];
