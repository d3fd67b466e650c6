import { setTimeout as sleep } from 'node:timers/promises';
import type { BenchCase } from './bench';
import { growthCase, REQUESTS } from './growth.cases';
import type { Workbench } from './workbench';

/** Attempts, each with eight stages. */
const SIZES = [10_000, 1_000_000];
const STAGES = 8;
/** Attempts that one statement writes; nodes report fewer. */
const AT_ONCE = 20_000;
/** The limit that P10 sets for a summary of a million rows. */
const SUMMED_UP_MS = 300;
/** The sweep of the sums runs every half minute, and meanwhile while attempts are filled in. */
const SUMMED_WITHIN_MS = 1_800_000;
const POLL_MS = 500;
const DAY_S = 86_400;

interface Summary {
  readonly attempts: number;
  readonly stages: readonly unknown[];
}

/** All but those that have left the window since they were filled in. */
const hasAll = (body: unknown, size: number): boolean => {
  const { attempts, stages } = body as Summary;
  return attempts > size * 0.99 && attempts <= size && stages.length === 2 * STAGES;
};

/** A summary of operations, of which all began within its window. */
const summaryOf = (days: number): BenchCase => ({
  ...growthCase({
    name: `operations-${days}-days`,
    what: `P10: p95 of ${REQUESTS} requests at ${SIZES.join(', ')} attempts with ${STAGES} stages each, of one organisation within ${days} days`,
    sizes: SIZES,
    asked: [
      {
        name: 'summary',
        path: `metrics/operations/summary?time=${days * DAY_S}`,
        holds: hasAll,
        atMostMs: SUMMED_UP_MS,
      },
      {
        name: 'summary, one kind of workload',
        path: `metrics/operations/summary?time=${days * DAY_S}&workload=slurm`,
        atMostMs: SUMMED_UP_MS,
      },
    ],
    fill: (bench, size) => fill(bench, size, days),
  }),
  group: 'operations',
});

export const summaryOfWeek = summaryOf(7);
export const summaryOfQuarter = summaryOf(90);

/** The triggers that note what is to be summed are needed here. */
const WITH_TRIGGERS = { text: 'set session_replication_role = origin' };

async function fill(bench: Workbench, size: number, days: number): Promise<void> {
  const orgId = await bench.orgId();
  for (let first = 0; first < size; first += AT_ONCE)
    await bench.fill(WITH_TRIGGERS, {
      text: `
        with numbered as (
          select n, n % 2 = 0 as restores, (array['succeeded', 'succeeded', 'succeeded', 'failed', 'fallback'])[1 + n % 19 % 5] as result,
            clock_timestamp() - $4::int * interval '1 day' * (1 - (n + 1) / ($5::float8 + 1)) as at, (10 ^ (7 + 4 * random()))::bigint as ns
          from generate_series($2::int, $3::int) n
        ), facts as (
          insert into operation_facts (org_id, operation_id, op_type, result, name, namespace, node_name, pod_uid, checkpoint_name, kind, platform,
            gpu_model, reason, source, storage_tier, workload_type, failure_reason, failure_stage, failure_reason_label, failure_stage_label,
            duration_ns, pause_ns, logical_bytes, physical_bytes, started_at, completed_at, pod_scheduled_at, pod_ready_at)
          select $1, gen_random_uuid(), case when restores then 'restore' else 'checkpoint' end, result, 'pod-' || n, 'bench', 'node-' || n % 900, n, '', 'full', 'linux/amd64',
            'NVIDIA H100', 'manual', 'profile', (array['', 'local', 'object'])[1 + n % 3], case when n % 4 < 3 then 'kubernetes' else 'slurm' end, '', '',
            case when result = 'failed' then 'reason-' || n % 7 else '' end, case when result = 'failed' then 'stage-' || n % 5 else '' end,
            ns, ns / 3, ns, ns / 7, at, at + interval '20 seconds', at, case when restores then at + n % 90 * interval '1 second' end
          from numbered returning org_id, operation_id, op_type, duration_ns
        )
        insert into operation_stages (org_id, operation_id, seq, stage, duration_ns, bytes_in, bytes_out, reason, result)
        select org_id, operation_id, n, op_type || ' ' || n, (duration_ns * random() / n)::bigint, 0, 0, '', 'succeeded' from facts cross join generate_series(1, ${STAGES}) n`,
      values: [orgId, first, Math.min(first + AT_ONCE, size) - 1, days, size],
    });
  await summed(bench);
  await bench.fill(
    { text: 'vacuum analyze operation_facts, operation_stages, operation_changes, operation_sums, operation_sketches' },
    { text: 'checkpoint' },
  );
}

/** Waits for the sweep of the service: until all attempts are in the sums. */
async function summed(bench: Workbench): Promise<void> {
  for (let waited = 0; waited < SUMMED_WITHIN_MS; waited += POLL_MS) {
    const { rows } = await bench.db.query<{ waiting: boolean }>(
      'select exists (select from operation_changes) or exists (select from operation_facts where not summed) as waiting',
    );
    if (rows[0]?.waiting === false) return;
    await sleep(POLL_MS);
  }
  throw new Error('the attempts are not summed');
}
