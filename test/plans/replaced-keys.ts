/** `on conflict` names the other key, which therefore has no condition. */
const OTHER_KEY = 'Another key begins with the organisation too, and rows are written by that one.';
/** An index with a condition would not serve such a list. */
const LISTED = 'A list is read in the order of an index, and compares nothing besides the organisation.';
const PARTLY = 'An index of some of its columns finds few rows:';

/**
 * Keys by which PostgreSQL does not look up a row as long as it knows nothing of the table: it takes another
 * index that begins in the same way, and reads all rows with the same values there. By the name of the key,
 * with the reason why it stays so.
 */
export const REPLACED: Readonly<Record<string, string>> = {
  actions_pod_beat_key: `${PARTLY} the requests of one policy. Rows are written by this key, and not looked up.`,
  actions_slurm_job_beat_key: `${PARTLY} the requests for one job. Rows are written by this key, and not looked up.`,
  capacity_asks_pkey: `${PARTLY} the requests for one profile.`,
  capacity_intents_ask_key: `${PARTLY} the intents of one profile.`,
  checkpoints_container_key: `${PARTLY} the containers of one action.`,
  engine_graph_deployments_pkey: `${OTHER_KEY} There are few.`,
  engine_services_pkey: `${OTHER_KEY} There are few.`,
  fleet_profiles_pkey: `${PARTLY} the fleets of one profile.`,
  instances_pkey: `${LISTED} There are few.`,
  jobs_pkey: `${OTHER_KEY} Requests of people name a job by its id.`,
  lifecycle_events_pkey: `${LISTED} Rows are written by this key. Retention alone looks them up by it, days later.`,
  metric_series_pkey: `${OTHER_KEY} Only the map of GPUs, and the removal of old series, look up series by id.`,
  nodes_name_key: `${PARTLY} the nodes of this name in all clusters.`,
  nodes_pkey: `${OTHER_KEY} There are few.`,
  observations_key_key: `${LISTED} An observation is looked up if it is reported again.`,
  observations_pkey: `${OTHER_KEY} No statement looks up an observation by its id.`,
  plugin_objects_pkey: 'Only uploads of plugins look up their objects. There are few.',
  pods_pkey: `${OTHER_KEY} What looks up a pod by its id reads the pods of its organisation until then.`,
  pods_uid_key: `${PARTLY} the pods of this uid in all clusters.`,
  policies_pkey: `${LISTED} There are few.`,
  route_targets_pkey: `${PARTLY} the routes of one profile.`,
};
