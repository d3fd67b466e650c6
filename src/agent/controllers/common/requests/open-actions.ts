import type { ServiceClient } from '../../../service/client';
import type { components } from '../../../service/schema';
import { OtherPaging, pagesOf } from '../../../service/pages';
import { memberOf, members } from '../members';
import type { Asked } from './request-journal';

export type Action = components['schemas']['ActionDetailsView'];
type ListedAction = components['schemas']['ActionView'];

const ROWS = 200;
/** Of the list of all actions, which may be long. The service allows no more. */
const ROWS_OF_ALL = 1_000;

/** Nothing more happens to it, whatever a node reports. */
export const isOver = ({ status }: { status: string }): boolean => status === 'ready' || status === 'error';

/** Whether somebody has asked for the restore whatever the machine lacks. As members of an order. */
export const allowedBy = (action: Pick<Action, 'details'> | undefined): { allowIncompatible?: true } =>
  members(action?.details).allow_incompatible === true ? { allowIncompatible: true } : {};

export const getAction = (service: ServiceClient, id: string): Promise<Action> =>
  service.send('get_action', (api) => api.GET('/v1/actions/{id}', { params: { path: { id } } }));

/** An action that waits for a controller. */
export interface OpenAction {
  readonly isRestore: boolean;
  readonly actionId: string;
  readonly checkpointId: string;
  /** Of a restore: the action that took the checkpoint. */
  readonly checkpointActionId: string | undefined;
  readonly action: Action;
  readonly platform: string;
}

/** What the open actions of a cluster ask for, read from the service itself because their events are gone. */
export async function openRequests<R extends Asked>(
  service: ServiceClient,
  clusterId: string,
  requestOf: (asked: OpenAction) => R | undefined | Promise<R | undefined>,
): Promise<R[]> {
  const found = new Map<string, R | undefined>();
  const read = async (pages: AsyncIterable<ListedAction[]>): Promise<void> => {
    for await (const page of pages)
      // A service that does not know the filters lists all, also behind any action.
      for (const listed of page.filter((action) => !isOver(action))) {
        if (found.has(listed.action_id)) continue;
        const asked = await openAction(service, listed, clusterId);
        found.set(listed.action_id, asked && (await requestOf(asked)));
      }
  };
  const open = { open: true, cluster_id: clusterId };
  const listed = pagesOf(
    service,
    'list_actions',
    ROWS,
    (api, at) => api.GET('/v1/actions', { params: { query: { ...at, ...open } } }),
    'after',
  );
  try {
    await read(listed);
  } catch (error) {
    if (!(error instanceof OtherPaging)) throw error;
    // One replica at least does not know the filters, and another one may: without them, all count the same.
    const all = pagesOf(
      service,
      'list_actions',
      ROWS_OF_ALL,
      (api, at) => api.GET('/v1/actions', { params: { query: at } }),
      'offset',
    );
    await read(all);
  }
  return [...found.values()].filter((request) => request !== undefined);
}

/** @returns undefined if it is of another cluster */
async function openAction(
  service: ServiceClient,
  listed: ListedAction,
  clusterId: string,
): Promise<OpenAction | undefined> {
  const { action_id: actionId, checkpoint_id: checkpointId, type, details, platform } = listed;
  const ids = { query: { ids: checkpointId } };
  const [checkpoint] = await service.send('list_checkpoints', (api) => api.GET('/v1/checkpoints', { params: ids }));
  // A restore may name another cluster than that of its checkpoint.
  const target = type === 'restore_pod' ? memberOf(details, 'cluster_id') : undefined;
  if ((target ?? checkpoint?.cluster_id)?.toLowerCase() !== clusterId) return undefined;
  const isRestore = type === 'restore_pod';
  return {
    isRestore,
    actionId,
    checkpointId,
    checkpointActionId: isRestore ? memberOf(details, 'action_id') : undefined,
    action: await getAction(service, actionId),
    platform,
  };
}
