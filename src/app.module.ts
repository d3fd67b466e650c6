import { DynamicModule, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { ConsoleModule } from './console/console.module';
import { keptRows } from './kept-rows';
import { AuditModule } from './1-platform/audit/audit.module';
import { AuthModule } from './1-platform/auth/auth.module';
import type { Clock } from './1-platform/common/clock';
import { LoggerModule } from './1-platform/common/logger';
import { bind, notify, type BoundPort } from './1-platform/common/ports';
import { ClusterSyncModule } from './2-inventory/cluster-sync/cluster-sync.module';
import { ClustersModule } from './2-inventory/clusters/clusters.module';
import { HostsModule } from './2-inventory/hosts/hosts.module';
import { JobsModule } from './2-inventory/jobs/jobs.module';
import { LegacyJobsModule } from './2-inventory/legacy-jobs/legacy-jobs.module';
import { NodesModule } from './2-inventory/nodes/nodes.module';
import { InstancesModule } from './7-cloud/instances/instances.module';
import { MarketplaceModule } from './7-cloud/marketplace/marketplace.module';
import { InstancePricesModule } from './6-insight/instance-prices/instance-prices.module';
import { PodsModule } from './2-inventory/pods/pods.module';
import { CheckpointsModule } from './3-checkpointing/checkpoints/checkpoints.module';
import { AnalyticsModule } from './6-insight/analytics/analytics.module';
import { CostReportsModule } from './6-insight/cost-reports/cost-reports.module';
import { SavingsModule } from './6-insight/savings/savings.module';
import { RouteSimulationModule } from './6-insight/route-simulation/route-simulation.module';
import { TimeSeriesModule } from './6-insight/time-series/samples.module';
import { MetricsModule } from './6-insight/metrics/metrics.module';
import { FilesModule } from './3-checkpointing/files/files.module';
import { OperationsModule } from './3-checkpointing/operations/operations.module';
import { RestoresModule } from './3-checkpointing/restores/restores.module';
import { PoliciesModule } from './3-checkpointing/policies/policies.module';
import { SlurmCheckpointsModule } from './3-checkpointing/slurm-checkpoints/slurm-checkpoints.module';
import { OldRowsModule } from './1-platform/old-rows/old-rows.module';
import { PartitionsModule } from './1-platform/partitions/partitions.module';
import { SchedulingModule } from './1-platform/scheduling/scheduling.module';
import { AutoscalingModule } from './5-traffic/autoscaling/autoscaling.module';
import { AdmissionsModule } from './5-traffic/admissions/admissions.module';
import { ChatModule } from './5-traffic/chat/chat.module';
import { ExperimentsModule } from './4-serving/experiments/experiments.module';
import { FleetsModule } from './5-traffic/fleets/fleets.module';
import { CostRatesModule } from './6-insight/cost-rates/cost-rates.module';
import { InferenceKeysModule } from './5-traffic/inference-keys/inference-keys.module';
import { ExternalRoutersModule } from './5-traffic/external-routers/external-routers.module';
import { RoutesModule } from './5-traffic/routes/routes.module';
import { ProfilesModule } from './4-serving/profiles/profiles.module';
import { ActivationsModule } from './4-serving/activations/activations.module';
import { CapacityIntentsModule } from './4-serving/capacity-intents/capacity-intents.module';
import { ArtifactsModule } from './4-serving/artifacts/artifacts.module';
import { ProfileCheckpointsModule } from './4-serving/profile-checkpoints/profile-checkpoints.module';
import { LifecycleEventsModule } from './4-serving/lifecycle-events/lifecycle-events.module';
import { ProfileObservationsModule } from './4-serving/profile-observations/profile-observations.module';
import { RetentionPoliciesModule } from './4-serving/retention-policies/retention-policies.module';
import { ProfileProgressModule } from './4-serving/profile-progress/profile-progress.module';
import { ConfigModule } from './1-platform/config/config.module';
import type { Environment } from './1-platform/config/environment';
import { DatabaseModule } from './1-platform/database/database.module';
import { HealthModule } from './1-platform/health/health.module';
import { HttpModule } from './1-platform/http/http.module';
import { IdempotencyModule } from './1-platform/idempotency/idempotency.module';
import { ObjectStorageModule } from './1-platform/object-storage/object-storage.module';
import { OutboundModule } from './1-platform/outbound/outbound.module';
import { OutboxModule } from './1-platform/outbox/outbox.module';
import { OrganisationsModule } from './1-platform/organisations/organisations.module';
import { PluginsModule } from './7-cloud/plugins/plugins.module';
import { MaintenanceWindowsModule } from './2-inventory/maintenance-windows/maintenance-windows.module';
import { SlurmInventoryModule } from './2-inventory/slurm-inventory/slurm-inventory.module';
import { SlurmMetricsModule } from './6-insight/slurm-metrics/slurm-metrics.module';
import { SlurmModule } from './2-inventory/slurm/slurm.module';
import { TokensModule } from './1-platform/tokens/tokens.module';
import { Repetitions } from './1-platform/endpoints/repetitions';
import { IdempotencyService } from './1-platform/idempotency/idempotency.service';
import { ClusterDeleting } from './2-inventory/clusters/clusters.ports';
import { Monitoring } from './2-inventory/kubernetes/monitoring.ports';
import { PodsChanged } from './2-inventory/pods/pods.ports';
import { ActionEnded } from './3-checkpointing/checkpoints/actions/actions.ports';
import { RestoredPods } from './3-checkpointing/operations/restored-pods';
import { PolicyCompletion } from './3-checkpointing/policies/beats/policy-completion';
import { PolicyRetention } from './3-checkpointing/policies/retention/policy-retention';
import { UsedPlaces } from './3-checkpointing/policies/retention/retention.ports';
import { PolicyMonitoring } from './3-checkpointing/policies/policy-monitoring';
import { ActivationMoved } from './4-serving/activations/activations.ports';
import { ArtifactPlaces } from './4-serving/artifacts/residency/artifact-places';
import { ReportedPlacements } from './4-serving/artifacts/artifacts.ports';
import { ActivationBudgets } from './4-serving/capacity-intents/capacity-intents.ports';
import { IntentVerdicts } from './4-serving/capacity-intents/intent-verdicts';
import { CheckpointPlacements } from './4-serving/lifecycle-events/checkpoint-placements';
import { ClusterStarts, WorkerStarts } from './4-serving/lifecycle-events/worker-starts';
import { ProfileSwitched } from './4-serving/profiles/profiles.ports';
import { FleetBudgets } from './5-traffic/fleets/fleet-budgets';
import { RouteTargets } from './5-traffic/routes/route-targets';
import { ClusterSavings } from './6-insight/savings/cluster-savings';
import { InstanceProvider } from './7-cloud/instances/providers/instance-provider';
import { MarketplaceProvider } from './7-cloud/marketplace/marketplace-provider';

/** The ports of domains, and the later domains that implement them. */
export const PORTS: readonly BoundPort[] = [
  bind(Repetitions, IdempotencyService),
  bind(Monitoring, PolicyMonitoring),
  bind(UsedPlaces, ArtifactPlaces),
  bind(ReportedPlacements, CheckpointPlacements),
  bind(ActivationBudgets, FleetBudgets),
  bind(InstanceProvider, MarketplaceProvider),
  // Notified inside the transaction.
  notify(PodsChanged, RestoredPods, WorkerStarts),
  notify(ClusterDeleting, ClusterStarts, ClusterSavings),
  // The first looks for what may go, and the second locks the policy.
  notify(ActionEnded, PolicyRetention, PolicyCompletion),
  notify(ProfileSwitched, RouteTargets),
  // Notified after the commit.
  notify(ActivationMoved, IntentVerdicts),
];

/** The composition root: it lists the modules of the service, and contains nothing else. */
@Module({})
export class AppModule {
  static with(environment: Environment, logger: Logger, clock?: Clock): DynamicModule {
    return {
      module: AppModule,
      // Every module sees the ports; nothing else is exported.
      global: true,
      providers: PORTS.map(({ provider }) => provider),
      exports: PORTS.map(({ port }) => port),
      imports: [
        ConfigModule.with(environment, clock),
        LoggerModule.with(logger),
        DatabaseModule.with(environment),
        SchedulingModule,
        PartitionsModule,
        OldRowsModule.with(keptRows(environment)),
        OutboundModule,
        AuthModule,
        AuditModule,
        HttpModule,
        IdempotencyModule,
        ObjectStorageModule.with(environment),
        OutboxModule,
        HealthModule,
        OrganisationsModule,
        TokensModule,
        PluginsModule,
        ClustersModule,
        HostsModule,
        LegacyJobsModule,
        NodesModule,
        InstancePricesModule,
        MarketplaceModule,
        InstancesModule,
        PodsModule,
        JobsModule,
        ClusterSyncModule,
        OperationsModule,
        CheckpointsModule,
        RestoresModule,
        FilesModule,
        SlurmCheckpointsModule,
        PoliciesModule,
        SlurmModule,
        SlurmInventoryModule,
        MaintenanceWindowsModule,
        ProfilesModule,
        ActivationsModule,
        CapacityIntentsModule,
        ArtifactsModule,
        ProfileCheckpointsModule,
        LifecycleEventsModule,
        ProfileObservationsModule,
        RetentionPoliciesModule,
        ProfileProgressModule,
        CostRatesModule,
        ExperimentsModule,
        InferenceKeysModule,
        AdmissionsModule,
        AutoscalingModule,
        RoutesModule,
        ExternalRoutersModule,
        ChatModule,
        FleetsModule,
        AnalyticsModule,
        CostReportsModule,
        RouteSimulationModule,
        TimeSeriesModule,
        SavingsModule,
        MetricsModule,
        SlurmMetricsModule,
        ConsoleModule,
      ],
    };
  }
}
