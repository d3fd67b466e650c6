/** Whether a target `t` of a route may be chosen. `p` is its profile. */
export const ENABLED = 't.enabled and p.enabled';

/** The targets of all routes of an organisation without those that are disabled: as if they were removed. */
export const ENABLED_TARGETS = `(
    select t.* from route_targets t join profiles p on p.org_id = $org_id and p.profile_id = t.profile_id
    where t.org_id = $org_id and ${ENABLED}
  )`;
