import type { QueryResultRow } from 'pg';
import type { AgingRows } from '../../1-platform/old-rows/old-rows.queries';
import { toMilliseconds } from '../../1-platform/common/fields/fields';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import { statement } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import type { ObservationListItemView, ObservationView, RecordObservationBody } from './profile-observations.dto';

const VIEW = `id, observation_key, event_type, evidence, source, started_at, profile_id, experiment_id,
  duration_ms`;

// The columns are read from the body as JSON, member by member.
const INSERT = statement(
  'observation-insert',
  `
    insert into observations (org_id, id, observation_key, event_type, evidence, source, started_at,
      completed_at, experiment_id, profile_id, action_id, checkpoint_id, checkpoint_mode, cluster_id,
      deployment_id, node_id, request_id, storage_tier, duration_ms, ttft_ms, prompt_tokens,
      completion_tokens, logical_bytes, physical_bytes, reused_bytes, written_bytes, transferred_bytes,
      success, fallback_used, deadline_missed, dimensions, metrics)
    select $org_id, $id, o.observation_key, o.event_type, o.evidence, o.source, o.started_at, o.completed_at,
      o.experiment_id, o.profile_id, o.action_id, o.checkpoint_id, o.checkpoint_mode, o.cluster_id,
      o.deployment_id, o.node_id, o.request_id, o.storage_tier,
      coalesce(o.duration_ms, round(extract(epoch from o.completed_at - o.started_at) * 1000)::bigint),
      o.ttft_ms, o.prompt_tokens, o.completion_tokens, o.logical_bytes, o.physical_bytes, o.reused_bytes,
      o.written_bytes, o.transferred_bytes, o.success, o.fallback_used, o.deadline_missed, $dimensions,
      $metrics
    from json_to_record($observation::json) as o(observation_key text, event_type text, evidence text,
      source text, started_at timestamptz, completed_at timestamptz, experiment_id uuid, profile_id text,
      action_id text, checkpoint_id text, checkpoint_mode text, cluster_id text, deployment_id text,
      node_id text, request_id text, storage_tier text, duration_ms bigint, ttft_ms bigint,
      prompt_tokens bigint, completion_tokens bigint, logical_bytes bigint, physical_bytes bigint,
      reused_bytes bigint, written_bytes bigint, transferred_bytes bigint, success boolean,
      fallback_used boolean, deadline_missed boolean)
    on conflict (org_id, observation_key) do nothing returning ${VIEW}`,
);
const BY_KEY = statement(
  'observation-by-key',
  `select ${VIEW} from observations where org_id = $org_id and observation_key = $observation_key`,
);

type Row = ObservationView & QueryResultRow;

const kept = (value: unknown): string | null => (value === undefined || value === null ? null : JSON.stringify(value));

/** @returns the observation with this key, and whether it is new */
export async function keepObservation(
  tx: Tx,
  id: string,
  { dimensions, metrics, ...body }: RecordObservationBody,
): Promise<{ observation: ObservationView | undefined; created: boolean }> {
  const members = {
    ...body,
    started_at: toMilliseconds(body.started_at),
    completed_at: body.completed_at == null ? null : toMilliseconds(body.completed_at),
  };
  const values = {
    org_id: tx.orgId,
    id,
    observation: JSON.stringify(members),
    dimensions: kept(dimensions),
    metrics: kept(metrics),
  };
  const [created] = await tx.prepared<Row>(INSERT, values);
  if (created) return { observation: created, created: true };
  const [known] = await tx.prepared<Row>(BY_KEY, { org_id: tx.orgId, observation_key: members.observation_key });
  return { observation: known, created: false };
}

export interface ObservationFilter {
  readonly profileId?: string;
  readonly experimentId?: string;
  readonly eventType?: string;
}

const LIST = `
  select ${VIEW}, ttft_ms, prompt_tokens, completion_tokens, logical_bytes, physical_bytes, success,
    fallback_used, deadline_missed
  from observations
  where org_id = $org_id and ($profile_id::text is null or profile_id = $profile_id)
    and ($experiment_id::uuid is null or experiment_id = $experiment_id)
    and ($event_type::text is null or event_type = $event_type)
  order by started_at desc, id desc limit $limit offset $offset`;

/** Newest first. */
export async function listObservations(
  tx: Tx,
  { profileId, experimentId, eventType }: ObservationFilter,
  slice: Slice,
): Promise<Page<ObservationListItemView>> {
  const values = {
    org_id: tx.orgId,
    profile_id: profileId ?? null,
    experiment_id: experimentId ?? null,
    event_type: eventType ?? null,
    ...rowsOf(slice),
  };
  return Page.of(await tx.query<ObservationListItemView & QueryResultRow>(LIST, values), slice);
}

/** Observations. Those of an experiment stay as long as it does, because it counts them. */
export const OLD_OBSERVATIONS: AgingRows = {
  table: 'observations',
  at: 'started_at',
  key: { id: 'uuid' },
  unneeded: `r.created_at < $before and not exists (
              select from experiments e where e.org_id = $org_id and e.id = r.experiment_id
            )`,
};
