import { ambiguous, candidate, identified, isBeginning, matching, named, UUID } from '../../api/rows';
import type { Schemas, Service } from '../../api/service';
import { missing, usage } from '../../failures';
import { kindNamed } from '../../kinds/kinds';
import type { Run } from '../context';
import { clusterIdOf } from '../values';
import { finish, request, type RequestOptions } from './request';

interface Options extends RequestOptions {
  readonly cluster?: string;
  readonly reason: 'manual' | 'nodeTermination' | 'nodeUnschedulable';
  readonly allowPartial?: boolean;
  readonly standalone?: boolean;
  readonly allowIncompatible?: boolean;
}

type Checkpoint = Schemas['CheckpointListItemView'];

const REMEDY = 'Name a checkpoint or its action by the whole id, or the checkpoint as namespace/name.';

export const restore: Run<Options> = async (context, options, [text = '']) => {
  const service = context.service();
  const actionId = await actionOf(service, text);
  const body = {
    action_id: actionId,
    reason: options.reason,
    allow_partial: options.allowPartial === true,
    ...(options.allowIncompatible === true && { allow_incompatible: true }),
    ...(options.cluster === undefined ? {} : { cluster_id: await clusterIdOf(service, options.cluster) }),
  };
  const isSlurm = await isOfSlurm(service, actionId);
  if (isSlurm && options.standalone === true)
    throw usage('A job of Slurm has no owner beside which it could be restored.', 'Leave --standalone out.');
  const ofPod = { ...body, ...(options.standalone === true && { overrides: { standalone: true } }) };
  const restored = isSlurm
    ? await request(service, 'restore_slurm_job', actionId, options, (api, header) =>
        api.POST('/v1/slurm/restore/job', { params: { header }, body, parseAs: 'text' }),
      )
    : await request(service, 'restore_pod', actionId, options, (api, header) =>
        api.POST('/v1/restore/pod', { params: { header }, body: ofPod, parseAs: 'text' }),
      );
  await finish(context, service, restored, options);
};

/** The checkpoint action of an action, of a checkpoint, or of the newest ready checkpoint of a name. */
async function actionOf(service: Service, text: string): Promise<string> {
  const [actions, checkpoints] = [kindNamed('action'), kindNamed('checkpoint')];
  if (UUID.test(text)) {
    const path = { id: text };
    const action = await service.find('get_action', (api) => api.GET('/v1/actions/{id}', { params: { path } }));
    if (action !== undefined) return action.action_id;
    const [checkpoint] = (await identified(service, checkpoints, text)) as readonly Checkpoint[];
    if (checkpoint !== undefined) return requestOf(checkpoint);
  }
  const of = (await named(service, checkpoints, text, { status: 'ready' })) as readonly Checkpoint[];
  // An older service ignores the filter.
  const ready = of.filter(({ status }) => status === 'ready');
  if (ready.length > 0) return requestOf(newestOf(ready, text));
  const found = (await matching(service, checkpoints, text)) as readonly Checkpoint[];
  const candidates = new Map<string, string>();
  // Ids of one time begin alike, so the beginning of one may be that of the other kind too.
  const begun = isBeginning(text) ? await matching(service, actions, text) : [];
  for (const row of begun) candidates.set(actions.id(row), `action ${actions.id(row)}`);
  for (const row of found)
    if (row.action_id === null || !candidates.has(row.action_id))
      candidates.set(row.action_id ?? row.id, `checkpoint ${candidate(checkpoints, row)}`);
  if (candidates.size > 1) throw ambiguous(`${text} means ${candidates.size} things`, [...candidates.values()], REMEDY);
  const [first] = found;
  if (first !== undefined) return requestOf(first);
  const [id] = candidates.keys();
  if (id === undefined)
    throw missing(
      `There is neither an action nor a checkpoint ${text}.`,
      '"ccp get checkpoints" shows what can be restored.',
    );
  return id;
}

/** @throws CliFailure if nobody knows the request for the checkpoint */
function requestOf({ id, action_id: actionId }: Checkpoint): string {
  if (actionId === null) throw missing(`The checkpoint ${id} has no action by which it could be restored.`);
  return actionId;
}

/**
 * The newest checkpoint of a name. Names are not unique: each checkpoint of a policy has that of its
 * workload, and workloads of other clusters or namespaces may have the same one.
 * @param ready newest first
 * @throws CliFailure if they are of several workloads
 */
function newestOf(ready: readonly Checkpoint[], text: string): Checkpoint {
  const workloads = new Map<string, Checkpoint>();
  for (const row of ready) {
    const { cluster_id: cluster, job_id: job, namespace, pod_name: pod } = row;
    const workload = JSON.stringify([cluster, job ?? [namespace, pod]]);
    if (!workloads.has(workload)) workloads.set(workload, row);
  }
  const [newest, other] = workloads.values();
  if (newest !== undefined && other === undefined) return newest;
  throw ambiguous(
    `${workloads.size} workloads have ready checkpoints named ${text}`,
    [...workloads.values()].map((row) => {
      const { job_id: job } = row;
      const workload = job === null ? `pod ${row.namespace}/${row.pod_name}` : `job ${job}`;
      return `${workload} of the cluster ${row.cluster_id} (${row.id})`;
    }),
    REMEDY,
  );
}

/** Whether an action was requested for a job of Slurm: only such checkpoints are in this list. */
async function isOfSlurm(service: Service, actionId: string): Promise<boolean> {
  const path = { id: actionId };
  const { checkpoint_ids: ids } = await service.send('get_action', (api) =>
    api.GET('/v1/actions/{id}', { params: { path } }),
  );
  const [id] = ids;
  if (id === undefined) return false;
  const query = { ids: id };
  const found = await service.send('list_slurm_checkpoints', (api) =>
    api.GET('/v1/slurm/checkpoints', { params: { query } }),
  );
  return found.length > 0;
}
