import type { Caller, Organisation, Service } from '../../support/service';
import type { InferenceWorker } from '../../support/inference-worker';
import type { Marketplace } from '../../support/marketplace';
import type { Recorder } from '../recorder';

/** What the steps of the walk share: later wings use what earlier ones made. */
export interface Walk {
  readonly recorder: Recorder;
  readonly service: Service;
  readonly org: Organisation;
  /** An admin of platform scope. */
  readonly platform: Caller;
  readonly market: Marketplace;
  readonly worker: InferenceWorker;
  /** Ids of things by a name of the walk. */
  readonly ids: Record<string, string>;
}

/** Nothing listens there. */
export const objectStorage = {
  url: 'http://127.0.0.1:1',
  publicUrl: 'http://127.0.0.1:1',
  bucket: 'plugins',
  region: 'us-east-1',
  pathStyle: true,
  credentials: { accessKeyId: 'example', secretAccessKey: 'example' },
};
