import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { getToken, makeCounterProvider, makeGaugeProvider } from '@willsoto/nestjs-prometheus';
import type { Counter, Gauge } from 'prom-client';
import { VERSION } from '../common/version';
import { inTime, LATE } from '../common/work/in-time';
import { ReadReplica, type ReplicaState } from '../database/read-replica/read-replica';
import { SCHEMA_REVISION } from '../database/schema/schema-revision';
import { Partitions, type PartitionedTable } from '../partitions/partitions';
import { FAILING, Sweeps, type Sweep } from '../scheduling/sweeps';
import { DatabaseFigures, type Figures } from './database-figures';
import { CHECKS, Readiness, type Check } from './readiness';

/** Whoever probes readiness waits a second or two; a check that takes longer is red here too. */
const CHECK_MS = 1_000;

interface State {
  readonly figures: Figures;
  readonly faults: ReadonlyMap<Check, string | undefined>;
  readonly replica: ReplicaState | undefined;
  readonly sweeps: readonly Sweep[];
  readonly tables: readonly PartitionedTable[];
}

interface Measured {
  readonly name: string;
  readonly help: string;
  readonly labelNames: readonly string[];
  /** The same series at every scrape. */
  readonly samples: (state: State) => { readonly labels: Readonly<Record<string, string>>; readonly value: number }[];
}

const only = (value: number) => [{ labels: {}, value }];

/** In the words of Prometheus: base units, and times as seconds since 1970. */
const MEASURED: readonly Measured[] = [
  {
    name: 'control_plane_build_info',
    help: '1; the labels name the release, and the revision of the functions that it keeps in the database',
    labelNames: ['version', 'schema_revision'],
    samples: () => [{ labels: { version: VERSION, schema_revision: String(SCHEMA_REVISION) }, value: 1 }],
  },
  {
    name: 'readiness_check',
    help: '1 while a check of /readyz is green, else 0; database is 0 too while it takes no writes',
    labelNames: ['check'],
    samples: ({ faults }) => CHECKS.map((check) => ({ labels: { check }, value: faults.get(check) ? 0 : 1 })),
  },
  {
    name: 'sweep_last_success_timestamp_seconds',
    help: 'When a round of a sweep last succeeded, on any replica; 0 while that is not known',
    labelNames: ['sweep'],
    samples: ({ sweeps, figures: { successes } }) =>
      sweeps.map(({ name: sweep }) => ({ labels: { sweep }, value: successes.get(sweep) ?? 0 })),
  },
  {
    name: 'sweep_interval_seconds',
    help: 'Time between the starts of two rounds of a sweep',
    labelNames: ['sweep'],
    samples: ({ sweeps }) => sweeps.map(({ name: sweep, everySeconds: value }) => ({ labels: { sweep }, value })),
  },
  {
    name: 'outbox_oldest_unnumbered_seconds',
    help: 'Age of the oldest event without a number, which no consumer has received; 0 without one, NaN while unknown',
    labelNames: [],
    samples: ({ figures }) => only(figures.unnumberedSeconds),
  },
  {
    name: 'partitions_overdue',
    help: 'Partitions of a table that are older than what is kept and have not been dropped; NaN while unknown',
    labelNames: ['table'],
    samples: ({ tables, figures: { partitions } }) =>
      tables.map(({ table }) => ({ labels: { table }, value: partitions.get(table)?.overdue ?? NaN })),
  },
  {
    name: 'partition_ahead',
    help: '1 if a row of this time tomorrow has a partition, else 0; NaN while unknown',
    labelNames: ['table'],
    samples: ({ tables, figures: { partitions } }) =>
      tables
        .filter(({ isRetired }) => !isRetired)
        .map(({ table }) => ({ labels: { table }, value: Number(partitions.get(table)?.hasTomorrow ?? NaN) })),
  },
  {
    name: 'database_figures_timestamp_seconds',
    help: 'When this replica last read from the database what these metrics show of it',
    labelNames: [],
    samples: ({ figures }) => only(figures.readAt),
  },
  {
    name: 'read_replica_in_use',
    help: '1 while reports are read from the read replica, else 0; missing where none is configured',
    labelNames: [],
    samples: ({ replica }) => (replica ? only(Number(replica.isInUse)) : []),
  },
  {
    name: 'read_replica_lag_seconds',
    help: 'Time by which the read replica is behind, at most; NaN while unknown, missing where none is configured',
    labelNames: [],
    samples: ({ replica }) => (replica ? only((replica.lagMs ?? NaN) / 1_000) : []),
  },
];

const FAILURES = 'sweep_failures_total';
const GAUGES = Symbol('GAUGES');

export const operatorMetricProviders = [
  ...MEASURED.map(({ name, help, labelNames }) => makeGaugeProvider({ name, help, labelNames })),
  {
    provide: GAUGES,
    inject: MEASURED.map(({ name }) => getToken(name)),
    useFactory: (...gauges: Gauge[]) => gauges,
  },
  makeCounterProvider({
    name: FAILURES,
    help: 'Failures of sweeps on this replica: of whole rounds, of items that delay no other, and rounds with such items',
    labelNames: ['sweep', 'of'],
  }),
];

/**
 * Metrics of what nobody waits for: without them, only the log shows that it no longer happens. All series
 * exist from the start, and none names an organisation or its use of the service.
 */
@Injectable()
export class OperatorMetrics implements OnApplicationBootstrap {
  constructor(
    @Inject(GAUGES) private readonly gauges: readonly Gauge[],
    @Inject(getToken(FAILURES)) private readonly failures: Counter<'sweep' | 'of'>,
    private readonly figures: DatabaseFigures,
    private readonly readiness: Readiness,
    private readonly replica: ReadReplica,
    private readonly sweeps: Sweeps,
    private readonly partitions: Partitions,
  ) {}

  /** All sweeps and tables are added by now. */
  onApplicationBootstrap(): void {
    for (const { name: sweep } of this.sweeps.all) for (const of of FAILING) this.failures.inc({ sweep, of }, 0);
    this.sweeps.onFailure((sweep, of) => this.failures.inc({ sweep, of }));
    for (const [place, { samples }] of MEASURED.entries()) {
      const gauge = this.gauges[place]!;
      Object.assign(gauge, {
        collect: async () => {
          const found = samples(await this.state());
          // The library shows 0 for a gauge without labels that was never set.
          if (found.length === 0) gauge.remove({});
          for (const { labels, value } of found) gauge.set(labels, value);
        },
      });
    }
  }

  private async state(): Promise<State> {
    const [figures, ...faults] = await Promise.all([
      this.figures.get(),
      ...CHECKS.map(async (check) => [check, await this.fault(check)] as const),
    ]);
    const { replica, sweeps, partitions } = this;
    return { figures, faults: new Map(faults), replica: replica.state, sweeps: sweeps.all, tables: partitions.all };
  }

  private async fault(check: Check): Promise<string | undefined> {
    const fault = await inTime(this.readiness.fault(check), CHECK_MS);
    return fault === LATE ? 'late' : fault;
  }
}
