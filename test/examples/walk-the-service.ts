import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Draining } from '../../src/1-platform/http/admission/draining';
import type { Replies } from '../../src/openapi/replies';
import { InferenceWorker } from '../support/inference-worker';
import { Marketplace } from '../support/marketplace';
import { Service } from '../support/service';
import { Recorder } from './recorder';
import { platform, platformAfterwards } from './walk/1-platform';
import { inventory } from './walk/2-inventory';
import { checkpointing } from './walk/3-checkpointing';
import { serving, servingAfterwards } from './walk/4-serving';
import { traffic } from './walk/5-traffic';
import { insight } from './walk/6-insight';
import { cloud } from './walk/7-cloud';
import { faults } from './walk/faults';
import { forgottenEvents, refusals } from './walk/refusals';
import { unknownPerson } from './walk/people';
import type { Walk } from './walk/walk';

export interface Walked {
  /** By operation. */
  readonly replies: Readonly<Record<string, Replies>>;
  /** Refusals that many operations answer alike: `plain`, and `inference` with the member `error`. */
  readonly shared: Readonly<Record<string, Replies>>;
  /** Calls that were not answered as the walk expects. */
  readonly surprises: readonly string[];
}

/** Calls every operation, as somebody would who tries the service out, and then with faults. */
export async function walkTheService(): Promise<Walked> {
  const worker = await InferenceWorker.start();
  const market = await Marketplace.start();
  const objectStorageDir = mkdtempSync(join(tmpdir(), 'control-plane-examples-'));
  const workerEndpointAllow = [worker.host, 'llama-8b.models.svc', '10.0.0.0/8'];
  const service = await Service.start({ marketplace: market.settings(), objectStorageDir, workerEndpointAllow });
  try {
    // A whole second, as everything that the walk names is.
    service.clock.set(new Date(Math.floor(service.clock.now().getTime() / 1_000) * 1_000));
    const org = await service.organisation('acme');
    // The plugins of the examples are its own: public ones are those of the first organisation.
    const behind = `update organisations set created_at = o.created_at + interval '1 second'
      from organisations o where o.id = $1 and organisations.id <> $1`;
    await service.db.query(behind, [org.id]);
    const recorder = new Recorder(service);
    const walk: Walk = { recorder, service, org, platform: service.admin, market, worker, ids: {} };
    for (const wing of [platform, inventory, checkpointing, serving, traffic, insight, cloud]) await wing(walk);
    await servingAfterwards(walk);
    await platformAfterwards(walk);
    await refusals(walk);
    await faults(walk);
    await forgottenEvents(walk);
    const ofAll = await shared(walk);
    return { replies: recorder.replies, shared: ofAll, surprises: recorder.surprises };
  } finally {
    await service.close();
    await worker.close();
    await market.close();
    rmSync(objectStorageDir, { recursive: true, force: true });
  }
}

/** One of each refusal that does not depend on the operation. */
async function shared({ service, org }: Walk): Promise<Record<string, Replies>> {
  const kinds = [
    {
      kind: 'plain',
      read: 'list_clusters',
      write: 'save_cluster',
      creates: 'create_maintenance_window',
      another: { reason: 'Cables' },
      table: 'clusters',
    },
    {
      kind: 'inference',
      read: 'list_profiles',
      write: 'create_inference_key',
      creates: 'create_inference_key',
      another: { name: 'another' },
      table: 'profiles',
    },
  ];
  const found: Record<string, Replies> = {};
  const somebody = await unknownPerson({ service, org });
  for (const { kind, read, write, creates, another, table } of kinds) {
    const recorder = new Recorder(service);
    const headers = { 'idempotency-key': `example-${kind}` };
    await recorder.expect(401, read, { as: service.as(undefined) });
    await recorder.expect(403, write, { as: org.viewer });
    await recorder.expect(413, write, { as: org.operator, body: ' '.repeat(2 * 1024 * 1024) });
    await recorder.expect(415, write, { as: org.operator, body: 'name', headers: { 'content-type': 'text/plain' } });
    await recorder.call(creates, { as: org.operator, headers });
    await recorder.expect(422, creates, { as: org.operator, headers, with: another });
    await service.db.query(`alter table ${table} rename to ${table}_aside`);
    await recorder.expect(500, read, { as: org.admin });
    await service.db.query(`alter table ${table}_aside rename to ${table}`);
    const draining = service.app.get(Draining);
    draining.starting = true;
    await recorder.expect(503, read, { as: org.admin });
    draining.starting = false;
    await recorder.refuses(503, 'identity_provider_unavailable', read, { as: somebody });
    const refused = Object.values(recorder.replies).flatMap((replies) => Object.entries(replies));
    found[kind] = Object.fromEntries(refused.filter(([status]) => Number(status) >= 400));
    if (recorder.surprises.length > 0) throw new Error(recorder.surprises.join('\n'));
  }
  return found;
}
