/**
 * Statements that read rows of more than one organisation, by their names or by how their text begins, and
 * why they may. On a database that is spread by organisation, each of them runs on every part.
 */
export const CROSSING: Readonly<Record<string, string>> = {
  'verify-token': 'Finds the organisation of a request by the digest of its token. A bearer is remembered.',
  'verify-inference-key': 'Finds the organisation of a request by the digest of its key. A key is remembered.',
  'outbox_sequence()': 'Numbers, by their place, events that the same function has found and locked by their key.',
  'close_authorizations()': 'Closes, by their place, authorizations that its caller has found and locked by their key.',
  'policies-due': 'Sweep: finds the policies of all organisations that are due, by an index of that time.',
  'policies-next': 'Sweep: when the next policy of any organisation is due, by the same index.',
  'policies-trimmed': 'Sweep: names the policies of all organisations that keep fewer than before, which are few.',
  'savings-take': 'Sweep: takes the checkpoints to count, which are few, of all organisations.',
  'savings-due-organisations': 'Sweep: names organisations with checkpoints to count.',
  'intents-judge-all': 'Sweep: judges the open intents of all organisations, which are few.',
  'authorizations-forget': 'Sweep: removes what is too old, organisation by organisation, by an index of their ids.',
  'usage_records-forget': 'Sweep: removes what is too old, organisation by organisation, by an index of its age.',
  'usage_rollups-forget': 'Sweep: as above, by an index of the ages of each kind of sums.',
  'warm_waits-forget': 'Sweep: removes what is too old, organisation by organisation, by an index of its age.',
  'busy_minutes-forget': 'Sweep: removes what is too old, organisation by organisation, by an index of its age.',
  'busy_hours-forget': 'Sweep: removes what is too old, organisation by organisation, by an index of its age.',
  'busy_spans-forget': 'Sweep: as above, by an index of the ages of each kind of sums.',
  'lifecycle-forget': 'Sweep: removes what is too old, organisation by organisation, by an index of its age.',
  'activation-phases-forget': 'Sweep: removes what is too old, organisation by organisation, by an index of its age.',
  'old-rows-holders': 'Sweep: names organisations with rows of a table that are too old, by an index of their age.',
  'slurm-jobs-forget-silent':
    'Sweep: walks along all jobs for those that nobody reports, page by page, by an index of their ids.',
  'router-samples-forget': 'Sweep: removes what is too old, by an index of its time.',
  'metric-series-forget': 'Sweep: removes series without samples, by an index of their last one.',
  'metric-kinds-forget': 'Sweep: removes kinds without series.',
  'metric-pods-forget': 'Sweep: removes pods that nobody reports, by an index of when somebody did.',
  'queued-workloads-forget': 'Sweep: removes manifests, by an index of when they are due.',
  'queued-workloads-remove': 'Sweep: removes workloads, by an index of when they are due.',
  'facts-awaiting-pods': 'Sweep: finds restores whose pod is not known yet, by an index of those.',
  'authorizations-release': 'Sweep: finds open authorizations that have expired, by an index of the open ones.',
  'select array_agg(due.key_id)': 'Sweep: finds the keys of such authorizations that are locked, by the same index.',
  'select array_agg(org_id), array_agg(request_id), array_agg(reserved_usd)':
    'Sweep: finds those that were sent and never settled, by the same index.',
  'actions-unanswered': 'Sweep: finds open actions whose deadline passed, by an index of the open ones.',
  'checkpoints-silent': 'Sweep: finds checkpoints that go on beside a failure, by an index of actions in error.',
  'restores-silent': 'Sweep: finds restores that nobody reports, by an index of what runs.',
  'checkpoints-presume-uploaded': 'Sweep: finds checkpoints whose upload nobody reports, by an index of those.',
  'artifacts-overdue-promotions': 'Sweep: finds pending promotions whose deadline passed, by an index of those.',
  'idempotency-forget': 'Sweep: removes old keys, by an index of their time.',
  'outbox-unnumbered': 'Sweep: names organisations with events that have no number yet.',
  'outbox-forget':
    'Sweep: removes old events that every consumer has read, organisation by organisation, by an index of their numbers.',
  'plugins-awaited': 'Sweep: finds announced objects, by an index of those.',
  'checkpoint-requests-give-up': 'Sweep: fails requests that nobody answers, by an index of the open ones.',
  'retention-organisations': 'Sweep: names organisations with retention policies.',
  'operation-sums-due': 'Sweep: names organisations with attempts to sum, which it finds by an index of those.',
  'worker-sums-due':
    'Sweep: names organisations with workers to sum: by an index of changes. It reads every profile of the others.',
  'select i.org_id as "orgId", i.id': 'The marketplace lists the machines of all organisations in one answer.',
  'update instances as i set phase': 'The marketplace lists the machines of all organisations in one answer.',
  "update instances set phase = 'failed'": 'Sweep: fails instances that were recorded and never requested.',
  'select coalesce(bool_or((i.account': 'Sweep: whether the marketplace has to be asked at all.',
};

/** Frequent statements that may reach as many rows of a table as their organisation has there, and why. */
export const REACHING: Readonly<Record<string, string>> = {
  'outbox_sequence()': 'It reaches each row by its place.',
  'close_authorizations()': 'It reaches each row by its place.',
  'with found as materialized ( select c.* from checkpoints c':
    'The same statement lists checkpoints by filters for which there is no index. What is listed by default is short.',
  'policies-of-pods':
    'It reads which nodes are not live: those that are gone are removed by retention, so they do not grow with time.',
  'policies-of-jobs': 'As above.',
  'select r.id, r.uid, r.resource_version': 'As above: a list of pods leaves out those of dead nodes.',
  'cost-breakdown': 'A cost report sums the stays of artifacts that touch its window.',
  'cost-report-sums': 'As above.',
};

/** Statements that may reach more rows of a new table with each request, up to a number, and why. */
export const REACHING_AT_FIRST: Readonly<Record<string, { table: string; atMost: number; why: string }>> = {
  'select s.id, s.digest from unnest': {
    table: 'metric_series',
    atMost: 1_500,
    why: 'It is planned at each call, and takes the index of digests from some 1,300 series on, analysed or not.',
  },
};

/** The entry of a list that a statement belongs to. */
export const entryOf = (list: Readonly<Record<string, unknown>>, name: string): string | undefined =>
  Object.keys(list).find(
    (one) => name === one || name.startsWith(`${one} `) || (/\s/.test(one) && name.startsWith(one)),
  );
