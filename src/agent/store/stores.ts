import { join } from 'node:path';
import { SERVICE_STORE, type Settings } from '../settings/settings';
import type { CheckpointStore } from './checkpoint-store';
import { DirectoryStore } from './directory-store';
import { HashMemory } from './hashing/hash-memory';
import { StoreKey } from './store-key';

/** The store that the settings name. What only the other one needs is not loaded. */
export async function storeOf(settings: Settings): Promise<CheckpointStore> {
  const { stateDir, store, verify } = settings;
  const key = StoreKey.of(settings);
  const memory = verify === 'always' ? undefined : new HashMemory({ directory: join(stateDir, 'hashes'), key });
  if (store !== SERVICE_STORE) return new DirectoryStore({ directory: store, key, memory });
  const module = join(__dirname, 'service/service-store-of');
  const { serviceStoreOf } = (await import(module)) as typeof import('./service/service-store-of');
  return serviceStoreOf(settings, key, memory);
}
