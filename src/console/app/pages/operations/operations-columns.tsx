import { Link } from '@tanstack/react-router';
import type { Cluster } from '../../api/clusters';
import type { Column } from '../../parts/table/data-table';
import { Elapsed } from '../../parts/time/elapsed';
import { Moment } from '../../parts/time/moment';
import { FailureReason, nameOf, ResultStatus, type OperationFact } from '../../parts/operations';
import { bytes, duration } from '../../parts/units';
import styles from './operations.module.css';

export const columnsOf = (clusters: readonly Cluster[]): readonly Column<OperationFact>[] => [
  {
    id: 'workload',
    header: 'Workload',
    width: 'minmax(9rem, 1.6fr)',
    cell: (fact) => (
      <div>
        <Link to="/operations/$id" params={{ id: fact.operation_id }} className={styles.name}>
          {nameOf(fact)}
        </Link>
        <div className={styles.where}>
          {[fact.namespace, clusters.find(({ id }) => id === fact.cluster_id)?.name].filter(Boolean).join(' · ')}
        </div>
      </div>
    ),
  },
  { id: 'kind', header: 'Kind', width: '5.75rem', cell: ({ op_type }) => op_type },
  {
    id: 'result',
    header: 'Result',
    width: 'minmax(9rem, 2.4fr)',
    cell: (fact) => (
      <div className={styles.result}>
        <ResultStatus result={fact.result} />
        <FailureReason of={fact} />
      </div>
    ),
  },
  { id: 'node', header: 'Node', width: 'minmax(5.5rem, 1fr)', cell: ({ node_name }) => node_name || '–' },
  { id: 'started', header: 'Started', width: '6.5rem', cell: (fact) => <Moment at={fact.started_at_ms} /> },
  { id: 'duration', header: 'Duration', width: '5rem', align: 'end', cell: (fact) => <Elapsed of={fact} /> },
  {
    id: 'pause',
    header: 'Stopped',
    width: '5rem',
    align: 'end',
    cell: ({ pause_ns: ns }) => (ns > 0 ? duration(ns) : '–'),
  },
  {
    id: 'size',
    header: 'Bytes',
    width: '5rem',
    align: 'end',
    cell: ({ physical_bytes: size }) => (size > 0 ? bytes(size) : '–'),
  },
];
