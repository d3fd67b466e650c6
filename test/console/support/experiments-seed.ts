import { saveRates } from '../../support/costs';
import { HOUR, MINUTE } from '../../support/durations';
import { startExperiment } from '../../support/experiments';
import { buildEvent, createProfile, reportEvent } from '../../support/profiles';
import { clusterOf, databaseNow, experimentOf, observed, startWorker } from '../../support/reports';
import { routeTo } from '../../support/chat';
import type { Organisation, Service } from '../../support/service';
import { buildRequest, writeRequests } from '../../support/usage-records';

export interface SeededExperiments {
  /** Completed, with requests, starts and observations. */
  readonly measuredId: string;
  /** Running, with nothing yet. */
  readonly runningId: string;
  /** Completed, with three requests. */
  readonly thinId: string;
}

/** A load test of two hours that is over, a small one, and one that runs. */
export async function seedExperiments(service: Service, org: Organisation): Promise<SeededExperiments> {
  const now = await databaseNow(service);
  await createProfile(org, { profile_id: 'llama-h100' });
  await saveRates(org, 'llama-h100', { node: 4 });
  await routeTo(org, ['llama-h100'], { logical_model: 'llama-8b' });
  const since = now - 5 * HOUR;
  const measuredId = await experimentOf(service, org, { profileId: 'llama-h100', since, until: since + 2 * HOUR });
  const thinId = await experimentOf(service, org, { since: since - HOUR, until: since });
  await service.db.query("update experiments set name = 'smoke test', scenario = 'three requests' where id = $1", [
    thinId,
  ]);
  const clusterId = await clusterOf(org);
  const stop = async (workload_uid: string, at: number): Promise<void> => {
    const occurred_at = new Date(at).toISOString();
    const event = buildEvent(clusterId, 'llama-h100', { kind: 'worker.stopped', workload_uid, occurred_at });
    expect((await reportEvent(org.controller, event)).status).toBe(204);
  };
  for (let start = 0; start < 6; start++) {
    const readyAt = since + (start * 10 + 5) * MINUTE;
    const cold = await startWorker(org, clusterId, 'llama-h100', { readyAt, tookMs: 41_000 + 3_000 * start });
    await stop(cold, readyAt + MINUTE);
    const restored = await startWorker(org, clusterId, 'llama-h100', {
      readyAt: readyAt + 2 * MINUTE,
      tookMs: 4_000 + 300 * start,
      path: 's3://checkpoints/llama',
    });
    await stop(restored, readyAt + 6 * MINUTE);
  }
  const request = (at: number, experiment_id: string, nth: number) =>
    buildRequest(at, {
      experiment_id,
      profile_id: 'llama-h100',
      decision_source: nth % 4 === 0 ? 'fallback' : 'primary',
      activation_path: 'warm',
      status_code: 200,
      fallback_used: nth % 4 === 0,
      prompt_tokens: 500,
      completion_tokens: 2_000,
      queue_ms: 5 + nth,
      ttft_ms: 310,
      backend_ms: 20_000,
    });
  await writeRequests(
    service.db,
    org,
    ...Array.from({ length: 40 }, (_, nth) => request(since + nth * 2 * MINUTE, measuredId, nth)),
    ...Array.from({ length: 3 }, (_, nth) => request(since - 30 * MINUTE + nth, thinId, nth)),
  );
  for (let nth = 0; nth < 3; nth++)
    await observed(org, {
      experiment_id: measuredId,
      event_type: 'restore',
      started_at: new Date(since).toISOString(),
    });
  const runningId = await startExperiment(org, { name: 'night soak', scenario: '8 hours', parameters: { clients: 8 } });
  return { measuredId, runningId, thinId };
}
