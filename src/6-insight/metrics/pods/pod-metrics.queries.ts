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
 * @param since no sample before it is read; the others are parameters: `uids` and `node` limit the result if
 * they are not null
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

// With what is still current at the beginning of the window.
const SERIES_OF_ROWS = seriesOfPods({
  metrics: '$metrics',
  since: `$from::timestamptz - ${CURRENT}`,
  uids: '$pod_uids',
  node: '$node_name',
});
// The times at which the pod as a whole was sampled, or any of its containers if it never was.
const ROWS = `
  with ${SERIES_OF_ROWS},
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
/**
 * Counters of containers are read every 10 to 20 s, whoever scrapes them and how often: a pair of senders
 * reports one reading twice. So a rate is over this long.
 */
const RATE_OVER = "interval '1 minute'";
/** Of a container that was started within the last minute. */
const SHORTEST_RATE = "interval '15 seconds'";
/** Maximal samples that a rate reads of a counter: one a second. */
const MAX_COMPARED = 600;

const EARLIER = newestOf(`s.sampled_at - ${RATE_WITHIN}`, `s.sampled_at - ${RATE_OVER}`);

/*
 * cpu_cores of a pod: by how much its newest counters of CPU time have grown, per second, since their newest
 * sample that is a minute older, else since the oldest one of the last minute. It is unknown if a counter has
 * no sample before, or fell or ended because its container was started again. Which counters count is as in
 * `sumOfContainers`.
 */
const RATES = `
  select pod, case when count(*) = count(rate) then sum(rate) end as cpu_cores
  from (
    select pod, container is null as is_whole,
      bool_or(container is null) over (partition by pod) as has_whole,
      case when sampled_at >= since + ${SHORTEST_RATE} and all_known and highest <= value
        then (value - first_value) / extract(epoch from sampled_at - since)::float8 end as rate
    from (
      select distinct on (pod, s.container, s.cpu) pod, s.id, s.sampled_until, s.container, t.sampled_at,
        t.value
      from most join reported s using (pod) cross join lateral (${newestOf('$from', '$to')}) t
      where s.metric = '${CPU}'
      order by pod, s.container, s.cpu, t.sampled_at desc, t.value is null, s.id desc
    ) s cross join lateral (
      select min(sampled_at) as since, (array_agg(value order by sampled_at))[1] as first_value,
        max(value) as highest, count(*) = count(value) as all_known
      from (${samplesOf(
        `coalesce((select earlier.sampled_at from (${EARLIER}) earlier), s.sampled_at - ${RATE_OVER})`,
        's.sampled_at',
        { newest: String(MAX_COMPARED) },
      )}) compared
    ) c where value is not null
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
