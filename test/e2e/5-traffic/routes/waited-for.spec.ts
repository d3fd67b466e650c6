import { setTimeout as sleep } from 'node:timers/promises';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { LOOKED_AT_EVERY_MS } from '../../../../src/5-traffic/routes/choice/routing-tables.service';
import { CHAT, coldProfile, question, routeTo, serviceFor } from '../../../support/chat';
import { eventually } from '../../../support/eventually';
import { InferenceWorker } from '../../../support/inference-worker';
import { onThisMachine } from '../../../support/machine';
import { passTime } from '../../../support/monotonic-time';
import { intentOf, report } from '../../../support/profiles';
import type { Answer, Caller, Organisation, Service } from '../../../support/service';

/** A change at one replica is known to the others after this. */
const KNOWN_WITHIN_MS = 1_000;
/** The same if its notification was lost. */
const HEALED_WITHIN_MS = 8_000;

/** A replica refreshes the routing table of its own accord only while somebody asks for it, or waits. */
describe('a chat that waits for a start while nobody else asks for anything', () => {
  let worker: InferenceWorker;
  let service: Service;
  let other: { app: NestExpressApplication; as: (token: string | undefined) => Caller };
  let org: Organisation;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    service = await serviceFor(worker);
    other = await service.replica();
    org = await service.organisation();
  });
  afterAll(async () => {
    await service.close();
    await worker.close();
  });
  beforeEach(() => worker.reset());

  /** Lets a time pass, as far as the service can see, and its replicas look after their tables. */
  async function pass(ms: number): Promise<void> {
    passTime(ms);
    await sleep(2 * LOOKED_AT_EVERY_MS);
  }

  async function waiting(): Promise<{ profile: string; asked: Promise<Answer> }> {
    const profile = await coldProfile(org);
    const model = await routeTo(org, [profile], { queue_timeout_ms: 120_000 });
    const asked = other.as(org.admin.token).post(CHAT, question(model), { 'x-request-timeout-ms': '90000' });
    await eventually(async () => expect(await intentOf(org.viewer, profile)).toBeDefined());
    return { profile, asked };
  }
  async function servedWithin(ms: number, profile: string, asked: Promise<Answer>): Promise<void> {
    expect((await report(org.controller, profile, { endpoint: worker.url, observed_generation: 1 })).status).toBe(204);
    const reportedAt = performance.now();
    expect((await asked).status).toBe(200);
    expect(performance.now() - reportedAt).toBeLessThan(onThisMachine(ms));
  }

  it('is served after a quarter of a minute, though no replica is notified of the start', async () => {
    const { profile, asked } = await waiting();
    await pass(15_000);
    const { rowCount } = await service.db.query(
      `select pg_terminate_backend(pid, 5000) from pg_stat_activity
       where datname = current_database() and query like 'listen %' and application_name = 'checkpoint-control-plane'`,
    );
    expect(rowCount).toBe(2);
    await servedWithin(HEALED_WITHIN_MS, profile, asked);
  });

  it('is served within a second of the start after more than a minute', async () => {
    const { profile, asked } = await waiting();
    await pass(63_000);
    await servedWithin(KNOWN_WITHIN_MS, profile, asked);
  });
});
