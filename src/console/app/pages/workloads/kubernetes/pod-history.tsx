import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, readRows } from '../../../api/client';
import { refreshEvery } from '../../../api/live';
import { FailureReason, ResultStatus, type OperationFact } from '../../../parts/operations';
import { Loaded, NothingYet } from '../../../parts/states';
import { count } from '../../../parts/units';
import { Attempts, History, SHOWN, type Entry, type Restorable } from '../history';
import { MOST_PAGES, newestRows, PAGE } from './newest-rows';

interface PodHistoryProps {
  readonly name: string;
  readonly namespace: string;
  readonly clusterId: string;
}

const historyQuery = ({ name, namespace, clusterId }: PodHistoryProps) =>
  queryOptions({
    queryKey: ['operations', 'of-workload', clusterId, namespace, name],
    queryFn: ({ signal }) => {
      // The service searches for a part of the name.
      const isIt = (fact: OperationFact): boolean => fact.name === name;
      const query = { name, namespace, cluster_id: clusterId, limit: PAGE };
      return newestRows(SHOWN, isIt, (after) =>
        readRows(api.GET('/v1/operations', { params: { query: { ...query, after } }, signal })),
      );
    },
    refetchInterval: refreshEvery(),
  });

/** What was attempted with pods of a name: those of a StatefulSet have the names of their predecessors. */
export function PodHistory(props: PodHistoryProps) {
  const history = useQuery(historyQuery(props));
  return (
    <History title="Checkpoints and restores">
      <Loaded query={history}>
        {({ rows, isPart }) =>
          rows.length > 0 ? (
            <Attempts of={rows.map(entryOf)} newest={newestOf(rows)} />
          ) : isPart ? (
            <NothingYet title="No recent checkpoint">
              None of the newest {count(MOST_PAGES * PAGE)} attempts with similar names is of this pod.
            </NothingYet>
          ) : (
            <NothingYet title="Never checkpointed" />
          )
        }
      </Loaded>
    </History>
  );
}

const entryOf = (fact: OperationFact): Entry => ({
  id: fact.operation_id,
  status: <ResultStatus result={fact.result} />,
  what: fact.op_type,
  at: fact.started_at_ms,
  failure: <FailureReason of={fact} />,
});

function newestOf(facts: readonly OperationFact[]): Restorable | undefined {
  const good = facts.find(
    ({ op_type, result, action_id }) => op_type === 'checkpoint' && result === 'succeeded' && action_id !== '',
  );
  return good && { actionId: good.action_id, kind: 'kubernetes', name: good.name, at: good.started_at_ms };
}
