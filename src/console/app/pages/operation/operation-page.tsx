import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { clustersQuery } from '../../api/clusters';
import type { Schemas } from '../../api/client';
import { ProblemError } from '../../api/problem';
import { RestoreAction } from '../../actions/restore-action';
import { Elapsed } from '../../parts/time/elapsed';
import { Moment } from '../../parts/time/moment';
import { FailureReason, nameOf, ResultStatus, type OperationFact } from '../../parts/operations';
import { Facts, Page, Section } from '../../parts/page';
import { Awaited, Loaded } from '../../parts/states';
import { bytes, duration, plural } from '../../parts/units';
import { Attempts } from './attempts';
import { attemptsQuery, operationQuery, progressQuery, usualQuery } from './operation-queries';
import styles from './operation.module.css';
import { Stages } from './stages';

const route = getRouteApi('/operations/$id');

type Detail = Schemas['OperationFactDetailView'];

export function OperationPage() {
  const { id } = route.useParams();
  const operation = useQuery(operationQuery(id));
  const fact = operation.data instanceof ProblemError ? undefined : operation.data;
  return (
    <Page
      title={fact ? nameOf(fact) : 'Operation'}
      beside={
        fact && (
          <>
            <span className={styles.kind}>{fact.op_type}</span>
            <ResultStatus result={fact.result} />
          </>
        )
      }
      actions={
        fact &&
        isRestorable(fact) && <RestoreAction actionId={fact.action_id} kind={fact.workload_type} name={nameOf(fact)} />
      }
    >
      <Loaded query={operation} lines={8}>
        {(data) =>
          data instanceof ProblemError ? (
            <Awaited title="No node has reported on it yet" problem={data}>
              If it was requested only now, it appears here as soon as its node begins. If it is old, it may have been
              removed.
            </Awaited>
          ) : (
            <Operation fact={data} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** A checkpoint, if an action asked for it; its images are checked when the service is asked to restore. */
const isRestorable = (fact: OperationFact): boolean =>
  fact.op_type === 'checkpoint' && fact.result === 'succeeded' && fact.action_id !== '';

function Operation({ fact }: { fact: Detail }) {
  const usual = useQuery(usualQuery(fact));
  const attempts = useQuery(attemptsQuery(fact));
  const others = (attempts.data ?? []).filter(({ operation_id }) => operation_id !== fact.operation_id);
  return (
    <>
      {fact.result === 'failed' && <Failure fact={fact} />}
      {fact.result === 'running' && <Progress fact={fact} />}
      <Section title="Where the time went" summary={<Whole fact={fact} usual={usual.data} />}>
        <Stages fact={fact} usual={usual.data} />
      </Section>
      {others.length > 0 && (
        <Section title="Other attempts of the same request" summary={plural(others.length, 'attempt')}>
          <Attempts of={others} />
        </Section>
      )}
      {fact.restores.length > 0 && (
        <Section title="Restores of this checkpoint" summary={plural(fact.restores.length, 'restore')}>
          <Attempts of={fact.restores} />
        </Section>
      )}
      <Section title="Facts">
        <OperationFacts fact={fact} />
      </Section>
    </>
  );
}

function Failure({ fact }: { fact: Detail }) {
  return (
    <div className={styles.failure} role="alert">
      <strong>
        The {fact.op_type} failed{fact.failure_stage !== '' && ` in the stage ${fact.failure_stage}`}
      </strong>
      {fact.failure_reason === '' ? (
        <span>The node gave no reason. Its log has more, on {fact.node_name || 'the node'}.</span>
      ) : (
        <FailureReason of={{ failure_stage: '', failure_reason: fact.failure_reason }} />
      )}
    </div>
  );
}

function Progress({ fact }: { fact: Detail }) {
  const { data } = useQuery(progressQuery(fact.action_id, fact.op_type === 'checkpoint'));
  return (
    <p className={styles.progress} role="status">
      Runs on {fact.node_name || 'its node'} since <Moment at={fact.started_at_ms} />.{' '}
      {data?.details != null && data.details !== '' && <>The node says: {data.details}</>}
    </p>
  );
}

function Whole({ fact, usual }: { fact: Detail; usual: Schemas['OperationsSummaryView'] | undefined }) {
  const median = usual?.operations.find(({ operation }) => operation === fact.op_type)?.p50_ns;
  return (
    <>
      <Elapsed of={fact} /> in all
      {fact.pause_ns > 0 && `, application stopped for ${duration(fact.pause_ns)}`}
      {median != null && `, usual: ${duration(median)} (median of the last 7 days)`}
    </>
  );
}

function OperationFacts({ fact }: { fact: Detail }) {
  const clusters = useQuery(clustersQuery).data ?? [];
  const cluster = clusters.find(({ id }) => id === fact.cluster_id);
  return (
    <Facts
      of={[
        ['Kind', `${fact.op_type}${fact.kind === '' ? '' : `, ${fact.kind}`}`],
        ['Workload', `${fact.namespace === '' ? '' : `${fact.namespace}/`}${fact.name}`],
        [
          'Cluster',
          cluster ? (
            <Link to="/clusters/$id" params={{ id: cluster.id }}>
              {cluster.name}
            </Link>
          ) : (
            fact.cluster_id
          ),
        ],
        ['Node', fact.node_name],
        ['Started', <Moment key="started" at={fact.started_at_ms} />],
        ['Ended', fact.completed_at_ms !== null && <Moment key="ended" at={fact.completed_at_ms} />],
        ['Pod ready after', readyAfter(fact)],
        ['Asked by', fact.reason],
        ['Written or read', fact.physical_bytes > 0 && bytes(fact.physical_bytes)],
        ['With its parents', fact.logical_bytes > fact.physical_bytes && bytes(fact.logical_bytes)],
        ['Tier', fact.storage_tier],
        ['GPU', fact.gpu_model],
        ['Platform', fact.platform],
        ['Stages from', fact.source],
        ['Operation', fact.operation_id],
        ['Checkpoint', checkpointOf(fact)],
        ['Request', fact.action_id],
      ]}
    />
  );
}

function readyAfter({ pod_ready_at_ms: ready, pod_scheduled_at_ms: scheduled }: Detail): string | undefined {
  if (ready === null || scheduled === null) return undefined;
  return `${duration((ready - scheduled) * 1e6)} from its scheduling`;
}

/** Of a restore: the checkpoint that it was made from. */
function checkpointOf({ op_type: kind, checkpoint_id: id }: Detail) {
  if (id === '' || kind === 'checkpoint') return undefined;
  return (
    <Link to="/operations/$id" params={{ id }}>
      {id}
    </Link>
  );
}
