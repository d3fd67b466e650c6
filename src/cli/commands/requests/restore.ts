import { oneIfAny, rowsOf } from '../../api/rows';
import type { Schemas, Service } from '../../api/service';
import { missing } from '../../failures';
import { kindNamed } from '../../kinds/kinds';
import type { Run } from '../context';
import { clusterIdOf } from '../values';
import { finish, keyOf, type RequestOptions } from './request';

interface Options extends RequestOptions {
  readonly cluster?: string;
  readonly reason: 'manual' | 'nodeTermination' | 'nodeUnschedulable';
  readonly allowPartial?: boolean;
}

type Checkpoint = Schemas['CheckpointListItemView'];

/** The newest checkpoints, in which a name is looked for. */
const NEWEST = 5_000;

export const restore: Run<Options> = async (context, options, [text = '']) => {
  const service = context.service();
  const actionId = await actionOf(service, text);
  const body = {
    action_id: actionId,
    reason: options.reason,
    allow_partial: options.allowPartial === true,
    ...(options.cluster === undefined ? {} : { cluster_id: await clusterIdOf(service, options.cluster) }),
  };
  const params = { header: keyOf(options) };
  const restored = (await isOfSlurm(service, actionId))
    ? await service.send('restore_slurm_job', (api) =>
        api.POST('/v1/slurm/restore/job', { params, body, parseAs: 'text' }),
      )
    : await service.send('restore_pod', (api) => api.POST('/v1/restore/pod', { params, body, parseAs: 'text' }));
  await finish(context, service, restored, options);
};

/** The checkpoint action of an action, of a checkpoint, or of the newest ready checkpoint of a name. */
async function actionOf(service: Service, text: string): Promise<string> {
  const [actions, checkpoints] = [kindNamed('action'), kindNamed('checkpoint')];
  const action = await oneIfAny(service, actions, text);
  if (action !== undefined) return actions.id(action);
  // Names are not unique: each checkpoint of a policy has that of its workload.
  const { rows } = await rowsOf(service, checkpoints, {}, NEWEST);
  const named = (rows as readonly Checkpoint[]).find(({ name, status }) => name === text && status === 'ready');
  const found = named ?? ((await oneIfAny(service, checkpoints, text)) as Checkpoint | undefined);
  if (found === undefined)
    throw missing(
      `There is neither an action nor a checkpoint ${text}.`,
      '"ccp get checkpoints" shows what can be restored.',
    );
  if (found.action_id === null)
    throw missing(`The checkpoint ${found.id} has no action by which it could be restored.`);
  return found.action_id;
}

/** Whether an action was requested for a job of Slurm: only such checkpoints are in this list. */
async function isOfSlurm(service: Service, actionId: string): Promise<boolean> {
  const path = { id: actionId };
  const { checkpoint_ids: ids } = await service.send('get_action', (api) =>
    api.GET('/v1/actions/{id}', { params: { path } }),
  );
  if (ids.length === 0) return false;
  const query = { ids: ids.join(',') };
  const found = await service.send('list_slurm_checkpoints', (api) =>
    api.GET('/v1/slurm/checkpoints', { params: { query } }),
  );
  return found.length > 0;
}
