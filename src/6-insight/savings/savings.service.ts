import { Injectable } from '@nestjs/common';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { exactNumber } from '../../1-platform/common/json/json';
import { sliceOf, type Page, type PageQuery } from '../../1-platform/common/answers/paging';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { CAPACITY_TYPES } from '../instance-prices/capacity-types';
import { SavingsRefreshes } from './savings-refreshes';
import type { CheckpointSavingsSummaryView, CheckpointSavingsView, CostSavingsEstimateView } from './savings.dto';
import { estimateSavings, listSavings, summariseSavings, type PodSavingsRow } from './savings.queries';

/** The savings by checkpoints, per pod and in total. */
@Injectable()
export class SavingsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly refreshes: SavingsRefreshes,
  ) {}

  async list(context: OrgContext, query: PageQuery): Promise<Page<CheckpointSavingsView>> {
    await this.refreshes.ensure(context);
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, async (tx) => (await listSavings(tx, slice)).map(podView));
  }

  async summary(context: OrgContext): Promise<CheckpointSavingsSummaryView> {
    await this.refreshes.ensure(context);
    const row = await this.unitOfWork.read(context, summariseSavings);
    return {
      org_id: context.orgId,
      refreshed_at: row.refreshed_at?.toISOString() ?? null,
      pods_protected: row.pods,
      total_checkpoints: exactNumber(row.checkpoints),
      total_heartbeat_checkpoints: exactNumber(row.heartbeats),
      total_manual_checkpoints: exactNumber(row.manual),
      total_other_checkpoints: exactNumber(row.other),
      total_checkpoint_overhead_ns: exactNumber(row.duration_ns),
      total_checkpoint_storage_bytes: exactNumber(row.size_bytes),
      avg_checkpoint_interval_seconds: row.avg_interval_seconds,
      total_estimated_savings: row.savings,
      total_time_protected_seconds: row.protected_seconds,
      worst_case_recovery_point_seconds: row.worst_interval_seconds,
    };
  }

  async estimate(context: OrgContext, hourlyRate: number): Promise<CostSavingsEstimateView> {
    await this.refreshes.ensure(context);
    const row = await this.unitOfWork.read(context, (tx) => estimateSavings(tx, hourlyRate));
    return {
      hourly_rate: hourlyRate,
      time_protected_seconds: row.protected_seconds,
      max_recovery_point_seconds: row.worst_interval_seconds,
      max_savings_per_failure: row.max_savings,
      checkpoint_overhead_cost: row.overhead_cost,
      net_potential_savings: row.net_savings,
      pods_protected: row.pods,
      total_checkpoints: exactNumber(row.checkpoints),
    };
  }
}

const podView = (row: PodSavingsRow): CheckpointSavingsView => ({
  pod_name: row.pod_name,
  namespace: row.namespace,
  cluster_id: row.cluster_id,
  node_name: row.node_name,
  node_region: row.node_region,
  instance_type: row.instance_type,
  capacity_type: CAPACITY_TYPES.find((type) => type === row.capacity_type) ?? null,
  gpu: row.gpu,
  platform: row.platform,
  first_checkpoint: row.first_checkpoint.toISOString(),
  last_checkpoint: row.last_checkpoint.toISOString(),
  refreshed_at: row.refreshed_at.toISOString(),
  checkpoint_count: row.checkpoint_count,
  heartbeat_checkpoints: row.heartbeat_checkpoints,
  manual_checkpoints: row.manual_checkpoints,
  other_checkpoints: row.other_checkpoints,
  total_checkpoint_duration_ns: exactNumber(row.duration_ns),
  total_checkpoint_size_bytes: exactNumber(row.size_bytes),
  avg_interval_seconds: row.avg_interval_seconds,
  min_interval_seconds: row.min_interval_seconds,
  max_recovery_point_seconds: row.max_interval_seconds,
  time_protected_seconds: row.protected_seconds,
  estimated_savings: row.savings,
  ondemand_price_per_hour: row.ondemand_price_per_hour,
  spot_price_per_hour: row.spot_price_per_hour,
  protection_efficiency_ratio: row.efficiency,
});
