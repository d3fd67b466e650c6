import { InTransaction } from '../../1-platform/database/transactions/observers';
import type { PodTimes } from './pods.queries';

/** Pods that a sync has changed. */
export class PodsChanged extends InTransaction<readonly PodTimes[]> {}
