import { START_KIND } from '../../src/activations/starts.queries';
import { pool, type Work } from './floor';

// What the service's own statement reads.
const STATUS = {
  name: 'floor-route-statuses',
  text: `
    select r.logical_model, coalesce(first.profile_id, '') as primary_profile_id, coalesce(first.ready, false) as primary_ready, first.phase as primary_phase,
      other.profile_id as fallback_profile_id, coalesce(other.ready, false) as fallback_ready,
      case when first.ready then first.endpoint when other.ready then other.endpoint end as endpoint,
      r.queue_timeout_ms,
      case when first.ready then 'serving' when other.ready then 'fallback' when asked.pending and asked.active then 'activating'
        when asked.desired_state = 'Suspended' then 'suspended' else 'cold' end as state,
      coalesce(asked.pending and asked.active, false) as pending_activation, coalesce(asked.pending and not asked.active, false) as pending_release,
      coalesce(asked.pending, false) as pending_intent, s.restore_checkpoint_path, case when s.id is not null then ${START_KIND} end as start_kind
    from routes r
    left join lateral (
      select t.profile_id, a.ready, a.phase, coalesce(nullif(a.endpoint, ''), p.backend_url) as endpoint, a.start_id
      from route_targets t
      join profiles p on p.org_id = $1 and p.profile_id = t.profile_id
      left join activations a on a.org_id = $1 and a.profile_id = t.profile_id
      where t.org_id = $1 and t.logical_model = r.logical_model order by t.priority, t.position limit 1
    ) first on true
    left join lateral (
      select t.profile_id, a.ready, coalesce(nullif(a.endpoint, ''), p.backend_url) as endpoint
      from route_targets t
      join profiles p on p.org_id = $1 and p.profile_id = t.profile_id
      left join activations a on a.org_id = $1 and a.profile_id = t.profile_id
      where t.org_id = $1 and t.logical_model = r.logical_model and t.profile_id <> first.profile_id
      order by a.ready is true desc, t.priority, t.position limit 1
    ) other on true
    left join lateral (
      select i.desired_state, i.status = 'Pending' as pending, i.desired_state = 'Active' and i.desired_replicas > 0 as active
      from capacity_intents i where i.org_id = $1 and i.profile_id = first.profile_id order by i.requested_at desc, i.generation desc limit 1
    ) asked on true
    left join starts s on s.org_id = $1 and s.id = first.start_id
    where r.org_id = $1 order by r.logical_model limit 1001`,
};

const statuses: Work = async ({ org_id: orgId }) => {
  const { rows } = await pool.query({ ...STATUS, values: [orgId] });
  return { status: 200, body: JSON.stringify(rows) };
};

export const routesWork: Record<string, Work> = { '/statuses': statuses };
