import type { QueryResultRow } from 'pg';
import { START_KIND } from '../../4-serving/activations/starts/starts.queries';
import { Page, type Slice } from '../../1-platform/common/answers/paging';
import { takeTurn } from '../../1-platform/database/transactions/advisory-locks';
import type { StatementPool } from '../../1-platform/database/connections/statement-pool';
import { arrayLiteral } from '../../1-platform/database/rows/array-literal';
import { rowsOf } from '../../1-platform/database/rows/bounded-page';
import { likeContaining } from '../../1-platform/database/rows/like-pattern';
import { unscoped } from '../../1-platform/database/transactions/statement';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { ROUTING_CHANGED } from './choice/routing-tables.service';
import { ENABLED } from './enabled-targets.queries';
import { RouteTarget } from './route.entity';
import type { RouteStatusView, RouteTargetBody, RouteView } from './routes.dto';

const ROUTE = `r.logical_model, r.mode, r.queue_timeout_ms, r.generation, r.classifier_profile_id,
  r.classifier_prompt, r.classifier_response_schema, coalesce((
    select json_agg(json_strip_nulls(json_build_object('priority', t.priority, 'profile_id', t.profile_id,
      'tier', t.tier, 'enabled', case when not t.enabled then false end)) order by t.priority, t.position)
    from route_targets t where t.org_id = r.org_id and t.logical_model = r.logical_model
  ), '[]'::json) as targets`;

type RouteRow = RouteView & QueryResultRow;

/** Changes of one route run one after the other. */
export function takeRouteTurn(tx: Tx, model: string): Promise<void> {
  return takeTurn(tx, 'route', `${tx.orgId} ${model}`);
}

const LIST = `
  select ${ROUTE} from routes r
  where r.org_id = $org_id and ($name::text is null or r.logical_model ilike $name)
  order by r.logical_model limit $limit offset $offset`;

export async function listRoutes(tx: Tx, slice: Slice, name: string | undefined): Promise<Page<RouteView>> {
  const values = { org_id: tx.orgId, name: likeContaining(name), ...rowsOf(slice) };
  return Page.of(await tx.query<RouteRow>(LIST, values), slice);
}

const GET = `select ${ROUTE} from routes r where r.org_id = $org_id and r.logical_model = $logical_model`;

export async function findRoute(tx: Tx, logicalModel: string): Promise<RouteView | undefined> {
  const [row] = await tx.query<RouteRow>(GET, { org_id: tx.orgId, logical_model: logicalModel });
  return row;
}

const SAVE = `
  insert into routes as r (org_id, logical_model, mode, queue_timeout_ms, generation, classifier_profile_id,
    classifier_prompt, classifier_response_schema)
  values ($org_id, $logical_model, $mode, $queue_timeout_ms, $generation, $classifier_profile_id,
    $classifier_prompt, $classifier_response_schema)
  on conflict (org_id, logical_model) do update set mode = excluded.mode,
    queue_timeout_ms = excluded.queue_timeout_ms, generation = excluded.generation,
    classifier_profile_id = excluded.classifier_profile_id, classifier_prompt = excluded.classifier_prompt,
    classifier_response_schema = excluded.classifier_response_schema, updated_at = clock_timestamp()`;

/** Writes a route as requested. The caller has called `takeRouteTurn`. */
export async function saveRoute(tx: Tx, route: RouteView): Promise<void> {
  const { logical_model: model } = route;
  await tx.query(SAVE, {
    org_id: tx.orgId,
    logical_model: model,
    mode: route.mode,
    queue_timeout_ms: route.queue_timeout_ms,
    generation: route.generation,
    classifier_profile_id: route.classifier_profile_id,
    classifier_prompt: route.classifier_prompt,
    classifier_response_schema: route.classifier_response_schema,
  });
  const stored = tx.store(RouteTarget);
  await stored.delete({ logicalModel: model });
  const targets = route.targets.map(({ profile_id: profileId, tier, priority, enabled = true }, position) => ({
    logicalModel: model,
    profileId,
    tier,
    priority,
    enabled,
    position,
  }));
  if (targets.length > 0) await stored.insert(targets);
}

const CONTINUE = `
  update withdrawn_routes set generation = generation - highest where org_id = $org_id returning highest`;

/**
 * The generation from which a new route continues, which is counted as its own from now on. The caller has
 * called `takeRouteTurn`.
 * @returns the highest of a deletion in the organisation; 0 if there was none
 */
export async function continueWithdrawn(tx: Tx): Promise<number> {
  const [row] = await tx.query<{ highest: number }>(CONTINUE, { org_id: tx.orgId });
  return row?.highest ?? 0;
}

// Its targets go with it.
const WITHDRAW = `
  with gone as (
    delete from routes where org_id = $org_id and logical_model = $logical_model returning generation
  ), noted as (
    insert into withdrawn_routes as w (org_id, generation, highest)
    select $org_id, generation + 1, generation + 1 from gone
    on conflict (org_id) do update set generation = w.generation + excluded.generation,
      highest = greatest(w.highest, excluded.highest)
    returning w.org_id
  ), notified as materialized (
    select pg_notify('${ROUTING_CHANGED}', $org_id::text) from noted
  )
  select generation + 1 as generation from gone, notified`;

/**
 * Deletes a route. Notifies every replica at the commit. The caller has called `takeRouteTurn`.
 * @returns the generation of its deletion; undefined if there is no such route
 */
export async function withdrawRoute(tx: Tx, model: string): Promise<number | undefined> {
  const [row] = await tx.query<{ generation: number }>(WITHDRAW, { org_id: tx.orgId, logical_model: model });
  return row?.generation;
}

/** Models that have the profile among their targets, in an order in which they may be locked. */
export async function modelsOf(tx: Tx, profileId: string): Promise<string[]> {
  const targets = await tx.store(RouteTarget).find({ profileId }, { order: { logicalModel: 'asc' } });
  return targets.map(({ logicalModel }) => logicalModel);
}

const MOVE_ON = `
  update routes set generation = generation + 1, updated_at = clock_timestamp()
  where org_id = $org_id and logical_model = $logical_model returning generation`;

/**
 * Increases the generation of a route after a change of one of its profiles. Concurrent writers run one after
 * the other. @returns undefined if it is gone
 */
export async function nextGeneration(tx: Tx, model: string): Promise<number | undefined> {
  const [row] = await tx.query<{ generation: number }>(MOVE_ON, { org_id: tx.orgId, logical_model: model });
  return row?.generation;
}

// Whoever enables or disables a profile changes its row first, and then takes the turns of its routes.
const HOLD_PROFILES = `
  select profile_id from profiles where org_id = $org_id and profile_id = any($profile_ids::text[])
  order by profile_id for share`;

/**
 * Keeps profiles from being enabled or disabled until the transaction ends, so that a route that gains one
 * is among its routes then. The caller has not yet called `takeRouteTurn`.
 * @returns indexes, from 0, of ids without a profile
 */
export async function holdProfiles(tx: Tx, profileIds: readonly string[]): Promise<number[]> {
  if (profileIds.length === 0) return [];
  const values = { org_id: tx.orgId, profile_ids: profileIds };
  const known = new Set(
    (await tx.query<{ profile_id: string }>(HOLD_PROFILES, values)).map(({ profile_id: id }) => id),
  );
  return profileIds.flatMap((id, place) => (known.has(id) ? [] : [place]));
}

export const sameTargets = (one: readonly RouteTargetBody[], other: readonly RouteTargetBody[]): boolean =>
  one.length === other.length &&
  one.every((target, place) => {
    const against = other[place];
    return (
      against?.profile_id === target.profile_id &&
      against.tier === target.tier &&
      against.priority === target.priority &&
      (against.enabled ?? true) === (target.enabled ?? true)
    );
  });

/** Where a target is reached: at its own address, else at that of the first of its workers that are ready. */
const ENDPOINT = `coalesce(nullif(a.endpoint, ''), nullif(p.backend_url, ''), (
          select o.worker->>'endpoint'
          from jsonb_array_elements(a.workers) with ordinality as o(worker, place)
          where o.worker->'ready' = 'true' order by o.place limit 1
        ))`;

/** The last report of a controller that has stopped stands for ever: see `lost` of `WorkerSeats`. */
const READY = '(a.ready and a.profile_id <> all($lost::text[]))';

// Reads the rows directly, so that callers see their own reports and requests. It reads two targets of each
// route, and the pending intent of the first one, each by its key.
export const STATUS = unscoped(
  'route-statuses',
  `
    select r.logical_model, coalesce(first.profile_id, '') as primary_profile_id,
      coalesce(first.ready, false) as primary_ready, first.phase as primary_phase,
      other.profile_id as fallback_profile_id, coalesce(other.ready, false) as fallback_ready,
      case
        when first.enabled and first.ready then first.endpoint
        when other.ready then other.endpoint
      end as endpoint,
      r.queue_timeout_ms,
      case
        when not first.enabled then 'disabled'
        when first.ready then 'serving'
        when other.ready then 'fallback'
        when asked.pending and asked.active then 'activating'
        when asked.desired_state = 'Suspended' then 'suspended'
        else 'cold'
      end as state,
      coalesce(asked.pending and asked.active, false) as pending_activation,
      coalesce(asked.pending and not asked.active, false) as pending_release,
      coalesce(asked.pending, false) as pending_intent,
      s.restore_checkpoint_path, case when s.id is not null then ${START_KIND} end as start_kind,
      coalesce(disabled.targets, '[]'::json) as unchosen_targets
    from routes r
    left join lateral (
      select t.profile_id, ${ENABLED} as enabled, ${READY} as ready, a.phase,
        ${ENDPOINT} as endpoint, a.start_id
      from route_targets t
      join profiles p on p.org_id = $org_id and p.profile_id = t.profile_id
      left join activations a on a.org_id = $org_id and a.profile_id = t.profile_id
      where t.org_id = $org_id and t.logical_model = r.logical_model
      order by ${ENABLED} desc, t.priority, t.position limit 1
    ) first on true
    left join lateral (
      select t.profile_id, ${READY} as ready, ${ENDPOINT} as endpoint
      from route_targets t
      join profiles p on p.org_id = $org_id and p.profile_id = t.profile_id
      left join activations a on a.org_id = $org_id and a.profile_id = t.profile_id
      where t.org_id = $org_id and t.logical_model = r.logical_model and t.profile_id <> first.profile_id
        and ${ENABLED}
      order by ${READY} is true desc, t.priority, t.position limit 1
    ) other on true
    left join lateral (
      select i.desired_state, i.status = 'Pending' as pending,
        i.desired_state = 'Active' and i.desired_replicas > 0 as active
      from capacity_intents i where i.org_id = $org_id and i.profile_id = first.profile_id
      order by i.requested_at desc, i.generation desc limit 1
    ) asked on true
    left join starts s on s.org_id = $org_id and s.id = first.start_id
    left join lateral (
      select json_agg(json_build_object('profile_id', t.profile_id, 'reason', 'disabled')
        order by t.priority, t.position) as targets
      from route_targets t join profiles p on p.org_id = $org_id and p.profile_id = t.profile_id
      where t.org_id = $org_id and t.logical_model = r.logical_model and not (${ENABLED})
    ) disabled on true
    where r.org_id = $org_id order by r.logical_model limit $limit offset $offset`,
);

/** Hot path: one statement. @param lost profiles that are not ready, whatever was reported */
export const listStatuses = async (
  statements: StatementPool,
  orgId: string,
  lost: readonly string[],
  slice: Slice,
): Promise<Page<RouteStatusView>> =>
  Page.of(
    await statements.run<RouteStatusView & QueryResultRow>(STATUS, {
      org_id: orgId,
      lost: arrayLiteral(lost),
      ...rowsOf(slice),
    }),
    slice,
  );
