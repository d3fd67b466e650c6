import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { cumulative, DURATION_BOUNDS_S, SIZE_BOUNDS_BYTES } from '../../3-checkpointing/operations/totals/buckets';
import { OPERATION_TYPES } from '../../3-checkpointing/operations/operation.states';
import {
  attemptTotals,
  failureTotals,
  latePolicies,
  recentConsumers,
  reportingClusters,
  runningAttempts,
  stageTotals,
  trafficCosts,
} from './export.queries';
import { expose, histogram, type Family } from './text-exposition';

const SECOND_NS = 1e9;

/**
 * The organisation's counters since the beginning, for Prometheus. They come from totals that only grow, so
 * the deletion of a cluster does not reduce them, and the time of an export does not grow with the facts.
 * Besides, what may have stopped unseen: reports of clusters, consumers of events, and beats of policies.
 */
@Injectable()
export class ExportService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  get(context: OrgContext): Promise<string> {
    return this.unitOfWork.read(context, async (tx) =>
      expose([
        ...(await attemptFamilies(tx)),
        await stageFamily(tx),
        await failureFamily(tx),
        await runningFamily(tx),
        ...(await costFamilies(tx)),
        await clusterFamily(tx),
        ...(await consumerFamilies(tx)),
        ...(await policyFamilies(tx)),
      ]),
    );
  }
}

async function attemptFamilies(tx: Tx): Promise<Family[]> {
  const rows = new Map((await attemptTotals(tx)).map((row) => [row.operation, row]));
  const counts = (texts: readonly string[] | undefined, bounds: readonly number[]) =>
    cumulative(Array.from({ length: bounds.length + 1 }, (_, i) => Number(texts?.[i] ?? 0)));
  const sizes = rows.get('checkpoint');
  return [
    {
      name: 'checkpoint_operations_total',
      type: 'counter',
      help: 'Ended attempts to checkpoint or restore, by result',
      samples: OPERATION_TYPES.flatMap((operation) => {
        const row = rows.get(operation);
        const results = { succeeded: row?.succeeded ?? 0, failed: row?.failed ?? 0, fallback: row?.fallbacks ?? 0 };
        return Object.entries(results).map(([result, value]) => ({ labels: { operation, result }, value }));
      }),
    },
    {
      name: 'checkpoint_operation_duration_seconds',
      type: 'histogram',
      help: 'Duration of successful attempts',
      samples: OPERATION_TYPES.flatMap((operation) => {
        const row = rows.get(operation);
        return histogram(
          { operation },
          DURATION_BOUNDS_S,
          counts(row?.duration_buckets, DURATION_BOUNDS_S),
          Number(row?.duration_sum_ns ?? 0) / SECOND_NS,
        );
      }),
    },
    {
      name: 'checkpoint_artifact_size_bytes',
      type: 'histogram',
      help: 'Bytes that checkpoints wrote',
      samples: histogram(
        {},
        SIZE_BOUNDS_BYTES,
        counts(sizes?.size_buckets, SIZE_BOUNDS_BYTES),
        Number(sizes?.size_sum_bytes ?? 0),
      ),
    },
  ];
}

async function stageFamily(tx: Tx): Promise<Family> {
  const rows = await stageTotals(tx);
  return {
    name: 'checkpoint_operation_stage_duration_seconds',
    type: 'summary',
    help: 'Duration of the stages of successful attempts, as nodes report them; stages beyond the first 64 are other',
    samples: rows.flatMap(({ operation, stage, count, sum_ns }) => [
      { suffix: '_sum', labels: { operation, stage }, value: Number(sum_ns) / SECOND_NS },
      { suffix: '_count', labels: { operation, stage }, value: count },
    ]),
  };
}

async function failureFamily(tx: Tx): Promise<Family> {
  const rows = await failureTotals(tx);
  return {
    name: 'checkpoint_operation_failures_total',
    type: 'counter',
    help: 'Failed attempts, by stage and kind of reason',
    samples: rows.map(({ operation, stage, reason, count }) => ({
      labels: { operation, stage, reason },
      value: count,
    })),
  };
}

async function runningFamily(tx: Tx): Promise<Family> {
  const rows = await runningAttempts(tx);
  return {
    name: 'checkpoint_operations_running',
    type: 'gauge',
    help: 'Attempts that a node has begun to report and not ended',
    samples: OPERATION_TYPES.map((operation) => ({
      labels: { operation },
      value: rows.find((row) => row.operation === operation)?.count ?? 0,
    })),
  };
}

async function costFamilies(tx: Tx): Promise<Family[]> {
  const { charged_usd, reserved_usd } = await trafficCosts(tx);
  return [
    {
      name: 'inference_cost_usd_total',
      type: 'counter',
      help: 'US dollars that requests of inference keys have cost',
      samples: [{ labels: {}, value: charged_usd }],
    },
    {
      name: 'inference_reserved_usd',
      type: 'gauge',
      help: 'US dollars that are reserved for requests of inference keys in flight',
      samples: [{ labels: {}, value: reserved_usd }],
    },
  ];
}

async function clusterFamily(tx: Tx): Promise<Family> {
  const clusters = await reportingClusters(tx);
  return {
    name: 'cluster_last_report_timestamp_seconds',
    type: 'gauge',
    help: 'When a cluster last reported; those that never did are missing',
    samples: clusters.map(({ id, name, reported_at }) => ({
      labels: { cluster_id: id, cluster: name },
      value: reported_at,
    })),
  };
}

async function consumerFamilies(tx: Tx): Promise<Family[]> {
  const consumers = await recentConsumers(tx);
  return [
    {
      name: 'outbox_consumer_lag_events',
      type: 'gauge',
      help: 'Events that a consumer has not acknowledged; consumers that were not seen for a day are missing',
      samples: consumers.map(({ id, lag }) => ({ labels: { consumer: id }, value: lag })),
    },
    {
      name: 'outbox_consumer_last_seen_timestamp_seconds',
      type: 'gauge',
      help: 'When a consumer last read or acknowledged, within half a minute',
      samples: consumers.map(({ id, seen_at }) => ({ labels: { consumer: id }, value: seen_at })),
    },
  ];
}

async function policyFamilies(tx: Tx): Promise<Family[]> {
  const { late, seconds } = await latePolicies(tx);
  return [
    {
      name: 'checkpoint_policies_late',
      type: 'gauge',
      help: 'Active policies whose beat is more than a minute late',
      samples: [{ labels: {}, value: late }],
    },
    {
      name: 'checkpoint_policy_lateness_seconds',
      type: 'gauge',
      help: 'By how much the latest of these beats is late; 0 without one',
      samples: [{ labels: {}, value: seconds }],
    },
  ];
}
