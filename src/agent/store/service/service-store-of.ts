import { join } from 'node:path';
import { ServiceClient } from '../../service/client';
import type { Settings } from '../../settings/settings';
import type { HashMemory } from '../hashing/hash-memory';
import type { StoreKey } from '../store-key';
import { ServiceFileAddresses } from './file-addresses';
import { ServiceStore } from './service-store';

/** Images that a machine keeps after it fetched them. */
const CACHE_BYTES = 20 * 1024 ** 3;

export const serviceStoreOf = (settings: Settings, key: StoreKey, memory: HashMemory | undefined): ServiceStore =>
  new ServiceStore({
    addresses: new ServiceFileAddresses(new ServiceClient(settings).api('files')),
    key,
    cacheDirectory: join(settings.stateDir, 'cache'),
    cacheBytes: CACHE_BYTES,
    memory,
  });
