import type { Once } from '../../actions/once';
import { api, read, type Schemas } from '../../api/client';

/** What people change here, each with the first word of the query keys that it makes stale. */

export const CHECKPOINTS = 'checkpoints';
export const WINDOWS = 'slurm-windows';

export const deprecate = (id: string): Promise<string> =>
  read(api.PATCH('/v1/slurm/checkpoints/deprecate/{id}', { params: { path: { id } }, parseAs: 'text' }));

const PATH = '/v1/slurm/maintenance_window';

/** @returns the id of the window */
export const createWindow = (once: Once, body: Schemas['CreateWindowBody']): Promise<string> =>
  read(api.POST(PATH, { body, params: { header: once(body) }, parseAs: 'text' }));

export const changeWindow = (id: string, body: Schemas['UpdateWindowBody']): Promise<string> =>
  read(api.PUT(`${PATH}/{id}`, { body, params: { path: { id } }, parseAs: 'text' }));

export const deleteWindow = (id: string): Promise<string> =>
  read(api.DELETE(`${PATH}/{id}`, { params: { path: { id } }, parseAs: 'text' }));
