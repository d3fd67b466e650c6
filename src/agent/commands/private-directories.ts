import { makePrivate } from '../files/exposure';
import { SERVICE_STORE, type Settings } from '../settings/settings';

/**
 * Root writes there, and runs what it reads there. @throws AgentFailure `permission_missing` if others may
 * change it
 */
export function makePrivateStateDirectory({ stateDir }: Settings): void {
  makePrivate(stateDir, 'state directory', '--state-dir');
}

/** Like `makePrivateStateDirectory`, and the store. */
export function makePrivateDirectories(settings: Settings): void {
  const { store } = settings;
  makePrivateStateDirectory(settings);
  if (store !== SERVICE_STORE) makePrivate(store, 'store', '--store');
}
