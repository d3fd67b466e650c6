import { DynamicModule, Module } from '@nestjs/common';
import type { Logger } from 'pino';
import { AuditModule } from './audit/audit.module';
import { AuthModule } from './auth/auth.module';
import type { Clock } from './common/clock';
import { LoggerModule } from './common/logger';
import { ClusterSyncModule } from './cluster-sync/cluster-sync.module';
import { ClustersModule } from './clusters/clusters.module';
import { HostsModule } from './hosts/hosts.module';
import { JobsModule } from './jobs/jobs.module';
import { LegacyJobsModule } from './legacy-jobs/legacy-jobs.module';
import { NodesModule } from './nodes/nodes.module';
import { InstancesModule } from './instances/instances.module';
import { MarketplaceModule } from './marketplace/marketplace.module';
import { PricingModule } from './pricing/pricing.module';
import { PodsModule } from './pods/pods.module';
import { CheckpointsModule } from './checkpoints/checkpoints.module';
import { AnalyticsModule } from './analytics/analytics.module';
import { CostsModule } from './costs/costs.module';
import { SavingsModule } from './savings/savings.module';
import { RouteSimulationModule } from './route-simulation/route-simulation.module';
import { SamplesModule } from './samples/samples.module';
import { MetricsModule } from './metrics/metrics.module';
import { OperationsModule } from './operations/operations.module';
import { RestoresModule } from './restores/restores.module';
import { PoliciesModule } from './policies/policies.module';
import { MonitoringModule } from './kubernetes/monitoring';
import { SlurmCheckpointsModule } from './slurm-checkpoints/slurm-checkpoints.module';
import { SchedulingModule } from './scheduling/scheduling.module';
import { AuthorizationsModule } from './authorizations/authorizations.module';
import { ChatModule } from './chat/chat.module';
import { ExperimentsModule } from './experiments/experiments.module';
import { FleetsModule } from './fleets/fleets.module';
import { CostRatesModule } from './cost-rates/cost-rates.module';
import { InferenceKeysModule } from './inference-keys/inference-keys.module';
import { RouterModule } from './router/router.module';
import { RoutesModule } from './routes/routes.module';
import { ProfilesModule } from './profiles/profiles.module';
import { ActivationsModule } from './activations/activations.module';
import { CapacityIntentsModule } from './capacity-intents/capacity-intents.module';
import { ArtifactsModule } from './artifacts/artifacts.module';
import { CheckpointRequestsModule } from './checkpoint-requests/checkpoint-requests.module';
import { LifecycleEventsModule } from './lifecycle-events/lifecycle-events.module';
import { ObservationsModule } from './observations/observations.module';
import { RetentionPoliciesModule } from './retention-policies/retention-policies.module';
import { ProfileProgressModule } from './profile-progress/profile-progress.module';
import { ConfigModule } from './config/config.module';
import type { Environment } from './config/environment';
import { DatabaseModule } from './database/database.module';
import { HealthModule } from './health/health.module';
import { HttpModule } from './http/http.module';
import { IdempotencyModule } from './idempotency/idempotency.module';
import { ObjectStorageModule } from './object-storage/object-storage.module';
import { OutboundModule } from './outbound/outbound.module';
import { OutboxModule } from './outbox/outbox.module';
import { OrganisationsModule } from './organisations/organisations.module';
import { PluginsModule } from './plugins/plugins.module';
import { MaintenanceWindowsModule } from './maintenance-windows/maintenance-windows.module';
import { SlurmInventoryModule } from './slurm-inventory/slurm-inventory.module';
import { SlurmMetricsModule } from './slurm-metrics/slurm-metrics.module';
import { SlurmModule } from './slurm/slurm.module';
import { TokensModule } from './tokens/tokens.module';

/** The composition root: lists what the service is made of, and nothing else. */
@Module({})
export class AppModule {
  static with(environment: Environment, logger: Logger, clock?: Clock): DynamicModule {
    return {
      module: AppModule,
      imports: [
        ConfigModule.with(environment, clock),
        LoggerModule.with(logger),
        DatabaseModule.with(environment),
        SchedulingModule,
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
        MonitoringModule,
        HostsModule,
        LegacyJobsModule,
        NodesModule,
        PricingModule,
        MarketplaceModule,
        InstancesModule,
        PodsModule,
        JobsModule,
        ClusterSyncModule,
        OperationsModule,
        CheckpointsModule,
        RestoresModule,
        SlurmCheckpointsModule,
        PoliciesModule,
        SlurmModule,
        SlurmInventoryModule,
        MaintenanceWindowsModule,
        ProfilesModule,
        ActivationsModule,
        CapacityIntentsModule,
        ArtifactsModule,
        CheckpointRequestsModule,
        LifecycleEventsModule,
        ObservationsModule,
        RetentionPoliciesModule,
        ProfileProgressModule,
        CostRatesModule,
        ExperimentsModule,
        InferenceKeysModule,
        AuthorizationsModule,
        RoutesModule,
        RouterModule,
        ChatModule,
        FleetsModule,
        AnalyticsModule,
        CostsModule,
        RouteSimulationModule,
        SamplesModule,
        SavingsModule,
        MetricsModule,
        SlurmMetricsModule,
      ],
    };
  }
}
