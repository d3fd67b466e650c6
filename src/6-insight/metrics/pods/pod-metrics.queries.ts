import type { QueryResultRow } from 'pg';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { CURRENT_MS, earlier, type MetricWindow } from '../metric-window.queries';
import { newestOf, sampledSince, samplesOf } from '../sampled-series.queries';

export const CPU = 'container_cpu_usage_seconds_total';
const MEMORY = 'container_memory_working_set_bytes';

/**
 * Series of pods, as `reported`, with their pods: `pod` identifies a pod by its uid, or by its name without a
 * uid. Members that the samples lack come from kube-state-metrics (`metric_pods`), else from the pod as its
 * cluster synced it; both are found by uid, or the newest by name. One column identifies a pod, because
 * PostgreSQL expects a key of several columns to match hardly any row.
 * @param since a parameter, as are the others; `uids` and `node` limit the result if they are not null
 */
export const seriesOfPods = ({
  metrics,
  since,
  uids,
  node,
}: {
  metrics: string;
  since: string;
  uids: string;
  node: string;
}): string => `
  series as materialized (
    select id, sampled_until, metric, container, coalesce(labels ->> 'cpu', 'total') as cpu, pod_uid,
      namespace, pod_name, node_name, coalesce(pod_uid, concat(namespace, '/', pod_name)) as reported_pod
    from metric_series
    where org_id = $org_id and family = 'pod' and metric = any(${metrics}) and ${sampledSince(since)}
      and (${uids}::text[] is null or pod_uid = any(${uids}) or pod_uid is null)
  ), reported_pods as materialized (
    select k.reported_pod, coalesce(k.pod_uid, m.pod_uid, o.uid) as pod_uid,
      coalesce(k.namespace, m.namespace, o.namespace) as namespace,
      coalesce(k.pod_name, m.pod_name, o.name) as pod_name,
      coalesce(k.node_name, m.node_name, nullif(o.node_name, '')) as node_name,
      case when m.owner_kind is null then o.owner_kind else m.owner_kind end as owner_kind,
      case when m.owner_kind is null then o.owner_name else m.owner_name end as owner_name
    from (
      select reported_pod, max(pod_uid) as pod_uid, max(namespace) as namespace, max(pod_name) as pod_name,
        max(node_name) as node_name
      from series group by reported_pod
    ) k
    left join lateral (
      select * from metric_pods where org_id = $org_id and pod_uid = k.pod_uid
      union all
      (select * from metric_pods
       where org_id = $org_id and k.pod_uid is null and namespace = k.namespace and pod_name = k.pod_name
       order by seen_at desc limit 1)
    ) m on true
    left join lateral (
      (select uid, namespace, name, node_name, owner_kind, owner_name from pods
       where org_id = $org_id and uid = k.pod_uid limit 1)
      union all
      (select uid, namespace, name, node_name, owner_kind, owner_name from pods
       where org_id = $org_id and k.pod_uid is null and namespace = k.namespace and name = k.pod_name
         and not deleted
       order by object_created_at desc nulls last limit 1)
    ) o on true
  ), known_pods as materialized (
    select reported_pod, coalesce(pod_uid, reported_pod) as pod, coalesce(pod_uid, '') as pod_uid, namespace,
      pod_name, coalesce(node_name, '') as node_name, owner_kind, owner_name
    from reported_pods
    where (${uids}::text[] is null or pod_uid = any(${uids}))
      and (${node}::text is null or node_name = ${node})
  ), pods_shown as materialized (
    select pod, max(pod_uid) as pod_uid, max(namespace) as namespace, max(pod_name) as pod_name,
      max(node_name) as node_name, max(owner_kind) as owner_kind, max(owner_name) as owner_name
    from known_pods group by pod
  ), reported as materialized (
    select s.id, s.sampled_until, s.metric, s.container, s.cpu, p.pod
    from series s join known_pods p using (reported_pod)
  )`;

/*
 * From the newest samples of a pod's series:
 *   cpu_usage_seconds  the counters' last values   [CPU seconds]
 *   memory_bytes       working sets                [bytes]
 * Each is the value of the pod as a whole, else the sum over its containers. Of a container that was reported
 * twice (it was restarted, or two scrape it) the newest sample counts. An ended container does not count: its
 * newest sample has no value.
 */
const figure = (metric: string): string => `
  coalesce(sum(value) filter (where metric = '${metric}' and container is null),
    sum(value) filter (where metric = '${metric}'), 0)`;

/**
 * @param key whose figures they are @param rows samples of series,
 * with `metric, container, cpu, id, sampled_at, value`
 */
export const sumOfContainers = (key: string, rows: string): string => `
  select ${key}, ${figure(CPU)} as cpu_usage_seconds, ${figure(MEMORY)} as memory_bytes
  from (
    select distinct on (${key}, metric, container, cpu) ${key}, metric, container, value from (${rows}) r
    order by ${key}, metric, container, cpu, sampled_at desc, value is null, id desc
  ) newest where value is not null group by ${key}`;

interface PodFigures extends QueryResultRow {
  pod_uid: string;
  namespace: string | null;
  pod_name: string | null;
  node_name: string;
  cpu_usage_seconds: number;
  memory_bytes: number;
}

export interface PodTopRow extends PodFigures {
  cpu_cores: number | null;
}

export interface PodRow extends PodFigures {
  timestamp: Date;
  owner_kind: string | null;
  owner_name: string | null;
}

const CURRENT = `interval '${CURRENT_MS} milliseconds'`;
const SINCE = `greatest(o.moment - ${CURRENT}, $from - ${CURRENT})`;

// The times at which the pod as a whole was sampled, or any of its containers if it never was.
const ROWS = `
  with ${seriesOfPods({ metrics: '$metrics', since: '$from', uids: '$pod_uids', node: '$node_name' })},
    moments as materialized (
    select pod, sampled_at as moment
    from (
      select pod, t.sampled_at, container is null as is_whole,
        bool_or(container is null) over (partition by pod) as has_whole
      from reported s cross join lateral (
        ${samplesOf('$from', '$to', { withValue: true, newest: '$limit' })}
      ) t
    ) looked_at
    where is_whole = has_whole group by pod, sampled_at order by sampled_at desc, pod limit $limit
  )
  select pod_uid, namespace, pod_name, moment as timestamp, cpu_usage_seconds, memory_bytes, node_name,
    owner_kind, owner_name
  from (${sumOfContainers(
    'pod, moment',
    `select s.*, o.moment, t.sampled_at, t.value from moments o join reported s using (pod)
     cross join lateral (${newestOf(SINCE, 'least(o.moment, $to)')}) t`,
  )}) f join pods_shown using (pod) order by moment desc, pod`;

interface PodFilter {
  readonly podUid?: string;
  readonly nodeName?: string;
}

const METRICS = [CPU, MEMORY];

/** Newest samples first. */
export const podRows = (
  tx: Tx,
  { from, to }: MetricWindow,
  { podUid, nodeName }: PodFilter,
  limit: number,
): Promise<PodRow[]> =>
  tx.query<PodRow>(ROWS, {
    org_id: tx.orgId,
    metrics: METRICS,
    from,
    to,
    pod_uids: podUid === undefined ? null : [podUid],
    node_name: nodeName ?? null,
    limit,
  });

/** Between samples that are further apart, a rate says little about now. */
const RATE_WITHIN = "interval '10 minutes'";

/*
 * cpu_cores of a pod: by how much its newest counters of CPU time have grown since the sample before, per
 * second. It is unknown if a counter has no sample before, or fell because its container was started again.
 * Which counters count is as in `sumOfContainers`.
 */
const RATES = `
  select pod, case when count(*) = count(rate) then sum(rate) end as cpu_cores
  from (
    select pod, rate, container is null as is_whole,
      bool_or(container is null) over (partition by pod) as has_whole
    from (
      select distinct on (pod, s.container, s.cpu) pod, s.container, t.value,
        case when t.value >= t.before and t.sampled_at <= t.before_at + ${RATE_WITHIN}
          then (t.value - t.before) / extract(epoch from t.sampled_at - t.before_at)::float8 end as rate
      from most join reported s using (pod) cross join lateral (
        select sampled_at, value, lead(value) over newest_first as before,
          lead(sampled_at) over newest_first as before_at
        from (${samplesOf(`$from::timestamptz - ${RATE_WITHIN}`, '$to', { newest: '2' })}) r
        window newest_first as (order by sampled_at desc) order by sampled_at desc limit 1
      ) t
      where s.metric = '${CPU}' and t.sampled_at >= $from
      order by pod, s.container, s.cpu, t.sampled_at desc, t.value is null, s.id desc
    ) counters where value is not null
  ) counted where is_whole = has_whole group by pod`;

const top = (by: 'cpu_usage_seconds' | 'memory_bytes'): string => `
  with ${seriesOfPods({ metrics: '$metrics', since: '$from', uids: 'null', node: 'null' })},
    most as materialized (
      ${sumOfContainers(
        'pod',
        `select s.*, t.sampled_at, t.value from reported s
         cross join lateral (${newestOf('$from', '$to')}) t`,
      )} order by ${by} desc, pod limit $limit
    )
  select pod_uid, namespace, pod_name, node_name, cpu_usage_seconds, cpu_cores, memory_bytes
  from most join pods_shown using (pod) left join (${RATES}) rates using (pod) order by ${by} desc, pod`;
const TOP = { cpu: top('cpu_usage_seconds'), memory: top('memory_bytes') };

/** Current usage: the newest sample of the last minutes counts, the largest usage comes first. */
export const topPods = (tx: Tx, by: keyof typeof TOP, now: Date, limit: number): Promise<PodTopRow[]> =>
  tx.query<PodTopRow>(TOP[by], {
    org_id: tx.orgId,
    metrics: METRICS,
    from: earlier(now, CURRENT_MS),
    to: now,
    limit,
  });
