import { Link } from '@tanstack/react-router';
import { Facts } from '../../../parts/page';
import { Status } from '../../../parts/status';
import { Coming, Moment } from '../../../parts/time/moment';
import { count } from '../../../parts/units';
import { filterWords, matchWords, moment, STATUS_TONES, triggerWords, type Policy } from '../policy-words';
import styles from '../policies.module.css';

/** Whether it can act. */
export function PolicyStatus({ of: { status, paused, cluster_status: cluster } }: { of: Policy }) {
  if (paused) return <Status tone="warn">paused</Status>;
  if (status === 'active' && cluster === 'inactive') return <Status tone="warn">cluster silent</Status>;
  return <Status tone={STATUS_TONES[status] ?? 'quiet'}>{status}</Status>;
}

/** When it is due, or why it is not. */
export function NextBeat({ of: { status, paused, next_at: next, cluster_status: cluster, pipeline } }: { of: Policy }) {
  if (paused) return <>when it goes on</>;
  if (next === null) return <>{status === 'disabled' ? 'never: it is disabled' : '–'}</>;
  if (cluster === 'inactive') return <>when {'its cluster reports'}</>;
  const trigger = pipeline?.trigger;
  if (trigger?.type === 'maintenance' && Date.parse(next) > Date.parse(trigger.config.start_time)) return <>open now</>;
  return <Coming at={next} />;
}

/** How the last beat went that requested anything. */
export function LastResult({ of: { last_firing: last, last_beat_at: beat } }: { of: Policy }) {
  if (last === null)
    return beat === null ? (
      <span className={styles.quiet}>no beat yet</span>
    ) : (
      <Status tone="quiet">nothing yet</Status>
    );
  const { requested, ready, failed, due_at: at } = last;
  const open = requested - ready - failed;
  return (
    <div>
      {failed > 0 ? (
        <Status tone="bad">{`${failed} of ${requested} failed`}</Status>
      ) : open > 0 ? (
        <Status tone="busy">{`${open} of ${requested} open`}</Status>
      ) : (
        <Status tone="good">{`${count(ready)} ready`}</Status>
      )}
      <div className={styles.quiet}>
        <Moment at={at} />
      </div>
    </div>
  );
}

export function PolicyFacts({ of }: { of: Policy }) {
  const { pipeline, last_beat_at: beat, timestamp: created, cluster_name: cluster } = of;
  const clusterId = pipeline?.filter.config.cluster_id;
  return (
    <Facts
      of={[
        ['When', pipeline && triggerWords(pipeline.trigger)],
        ['What', pipeline && filterWords(pipeline.filter)],
        [
          'Cluster',
          clusterId !== undefined && (
            <Link key="cluster" to="/clusters/$id" params={{ id: clusterId }}>
              {cluster}
            </Link>
          ),
        ],
        ['Matches now', matchWords(of)],
        ['Next', <NextBeat key="next" of={of} />],
        ['Due at', of.next_at !== null && of.cluster_status === 'active' && moment(of.next_at)],
        ['Last beat', beat !== null && <Moment key="beat" at={beat} />],
        ['Keeps', of.keep_last === null ? 'all' : `the last ${of.keep_last} of each workload`],
        ['Kind of checkpoint', pipeline?.action.config.kind],
        ['runc root', pipeline?.action.config.runc_root],
        ['Created', created !== null && <Moment key="created" at={created} />],
      ]}
    />
  );
}
