import type { QueryResultRow } from 'pg';
import type { ExperimentView } from '../../4-serving/experiments/experiments.dto';
import { OF_KIND } from '../../4-serving/activations/starts/starts.queries';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import type { Tx } from '../../1-platform/database/transactions/tx';

/** Newest measured starts of each kind of a profile that are compared: older ones describe no present. */
const COMPARED = 500;
/** Newest of these that are listed. */
const LISTED = 50;

export interface StartSample {
  samples: number;
  p50_ms: number;
  p95_ms: number;
}

export interface StartRow {
  checkpoint_path: string | null;
  pod_name: string;
  ready_at: string | null;
  restored: boolean;
  start_time_ms: number;
}

export interface ComparisonRow extends QueryResultRow {
  profile_id: string;
  logical_model: string;
  estimated_cold_start_ms: number;
  cold: StartSample | null;
  restored: StartSample | null;
  starts: StartRow[];
}

const sampleOf = (kind: 'cold' | 'restore'): string => `case when count(*) filter (where kind = '${kind}') > 0
      then json_build_object(
        'samples', count(*) filter (where kind = '${kind}'),
        'p50_ms', percentile_disc(0.5) within group (order by start_ms) filter (where kind = '${kind}'),
        'p95_ms', percentile_disc(0.95) within group (order by start_ms) filter (where kind = '${kind}')
      ) end`;

/** The newest starts of a kind of the profile of `p`, from an index of their kind. */
const newestOf = (kind: 'cold' | 'restore'): string => `(
            select s.*, '${kind}' as kind from starts s
            where s.org_id = $org_id and s.profile_id = p.profile_id and s.ready_at is not null
              and s.beginning_seen and ${OF_KIND[kind]}
              and ($ready_from::timestamptz is null or s.ready_at >= $ready_from)
              and ($ready_until::timestamptz is null
                or s.ready_at < $ready_until and s.began_at < $ready_until)
            order by s.began_at desc, s.id desc limit ${COMPARED}
          )`;

/*
 * Per profile, over its newest starts of each kind whose beginning was reported and that became ready:
 *   start_time_ms = ready_at − began_at                            [ms]
 *   cold, restored: count, p50 and p95 by nearest rank              [ms; null without any]
 * @param which of the profiles `p`
 */
const compare = (which: string): string => `
  select p.profile_id, p.logical_model, p.estimated_cold_start_ms, m.cold, m.restored,
    coalesce(m.starts, '[]') as starts
  from (${which}) p cross join lateral (
    select ${sampleOf('cold')} as cold, ${sampleOf('restore')} as restored,
      json_agg(json_build_object(
        'checkpoint_path', case when kind = 'restore' then coalesce(restore_checkpoint_path, uri) end,
        'pod_name', coalesce(pod_name, ''),
        'ready_at', to_char(ready_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
        'restored', kind = 'restore', 'start_time_ms', start_ms
      ) order by nth) filter (where nth <= ${LISTED}) as starts
    from (
      select s.*, case when nth <= ${LISTED} then (
          select a.uri from artifacts a where a.org_id = $org_id and a.artifact_id = s.artifact_id
        ) end as uri,
        case when nth <= ${LISTED} then (
          select o.name from pods o where o.org_id = $org_id and o.uid = s.pod_uid::text limit 1
        ) end as pod_name
      from (
        select s.restore_checkpoint_path, s.artifact_id, s.pod_uid, s.ready_at, s.kind,
          row_number() over (order by s.began_at desc, s.id desc) as nth,
          round(extract(epoch from s.ready_at - s.began_at) * 1000)::bigint as start_ms
        from (
          ${newestOf('cold')} union all ${newestOf('restore')}
        ) s
      ) s
    ) measured
  ) m order by p.profile_id`;

const LIST = compare(`
  select * from profiles where org_id = $org_id and ($profile_id::text is null or profile_id = $profile_id)
    and ($run_profile_id::text is null or profile_id = $run_profile_id)
  order by profile_id limit $limit offset $offset`);
const GET = compare(`
  select * from profiles where org_id = $org_id and profile_id = any($profile_ids::text[])`);

const ANY_TIME = { ready_from: null, ready_until: null };

interface CompareFilter {
  readonly profileId: string | undefined;
  /** Limits to workers that became ready while it ran, and to its profile if it has one. */
  readonly experiment: Pick<ExperimentView, 'started_at' | 'completed_at' | 'profile_id'> | undefined;
}

export async function compareStarts(
  tx: Tx,
  { profileId, experiment }: CompareFilter,
  slice: Slice,
): Promise<Page<ComparisonRow>> {
  const time = experiment ? { ready_from: experiment.started_at, ready_until: experiment.completed_at } : ANY_TIME;
  const values = {
    org_id: tx.orgId,
    profile_id: profileId ?? null,
    run_profile_id: experiment?.profile_id ?? null,
    ...time,
    ...rowsOf(slice),
  };
  return Page.of(await tx.query<ComparisonRow>(LIST, values), slice);
}

export const startsOfProfiles = (tx: Tx, profileIds: readonly string[]): Promise<ComparisonRow[]> =>
  tx.query<ComparisonRow>(GET, { org_id: tx.orgId, profile_ids: profileIds, ...ANY_TIME });
