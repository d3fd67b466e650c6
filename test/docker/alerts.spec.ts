import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { describeWith } from '../support/components';
import { Service } from '../support/service';
import { manifestsIn, rendered } from './support/manifests';

const PROJECT = join(__dirname, '../..');
const RULES = join(PROJECT, 'docker/prometheus/rules.yml');
const CONFIG = join(PROJECT, 'docker/prometheus/prometheus.yml');

interface Alert {
  readonly alert: string;
  readonly expr: string;
  readonly for: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly runbook: string };
}
interface Rules {
  readonly groups: readonly { readonly name: string; readonly rules: readonly Alert[] }[];
}

const rules = parse(readFileSync(RULES, 'utf8')) as Rules;
const ALERTS = rules.groups.flatMap((group) => group.rules);

const promtool = (...args: string[]): { status: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync('promtool', args, { encoding: 'utf8' });
  return { status, output: stdout + stderr };
};

/** How long an installation is watched, with one evaluation a minute: longer than the longest `for`. */
const MINUTES = 8 * 60;
/** What an alert needs to see before its `for` begins: the longest range of a rate, and the age of a time. */
const SEEN_MINUTES = 70;
const minutesOf = (duration: string): number => parseInt(duration, 10) * (duration.endsWith('h') ? 60 : 1);

/** Series of an installation, as promtool writes them: the first value, and what each minute adds. */
type Installation = Readonly<Record<string, string>>;

const always = (value: number, minutes = MINUTES): string => `${value}x${minutes}`;
const growing = (by: number, minutes = MINUTES): string => `0+${by}x${minutes}`;
/** Grows by one now and then. */
const stepping = (every: number, minutes = MINUTES): string =>
  Array.from({ length: Math.ceil(minutes / every) }, (_, step) => always(step, every - 1)).join(' ');
/** A time that is always now: the clock of promtool begins at 0. */
const NOW = growing(60);
const NEVER_AGAIN = always(0);

/** What becomes of requests to a marketplace that cannot be used. */
const FAULTS_OF_MARKETPLACE = [
  'unreachable',
  'silent',
  'broken',
  'failing',
  'unreadable',
  'key_refused',
  'defect',
] as const;

/** What becomes of deletions that the marketplace does not accept: one sent too often is refused as well. */
const REFUSALS_OF_DELETIONS = ['refused', 'busy'] as const;

const ORG = 'job="control-plane-organisation", organisation="default"';
const replica = (instance: string): Installation => {
  const of = (labels = ''): string => `{job="control-plane", instance="${instance}"${labels}}`;
  const org = (labels = ''): string => `{${ORG}, instance="${instance}"${labels}}`;
  return {
    [`up${of()}`]: always(1),
    [`control_plane_build_info${of(', version="1.0.0", schema_revision="20"')}`]: always(1),
    ...Object.fromEntries(
      ['serving', 'database', 'disk'].map((check) => [`readiness_check${of(`, check="${check}"`)}`, always(1)]),
    ),
    [`database_figures_timestamp_seconds${of()}`]: NOW,
    [`sweep_last_success_timestamp_seconds${of(', sweep="policies"')}`]: NOW,
    [`sweep_interval_seconds${of(', sweep="policies"')}`]: always(5),
    // Its round is due every six hours: that it ran two hours ago is no fault.
    [`sweep_last_success_timestamp_seconds${of(', sweep="old rows"')}`]: `-7200+60x${MINUTES}`,
    [`sweep_interval_seconds${of(', sweep="old rows"')}`]: always(21_600),
    [`sweep_failures_total${of(', sweep="policies", of="item"')}`]: always(3),
    [`sweep_failures_total${of(', sweep="policies", of="partial_round"')}`]: always(3),
    [`sweep_failures_total${of(', sweep="policies", of="round"')}`]: always(3),
    [`sweep_last_success_timestamp_seconds${of(', sweep="ledger balances"')}`]: NOW,
    [`sweep_interval_seconds${of(', sweep="ledger balances"')}`]: always(600),
    [`sweep_failures_total${of(', sweep="ledger balances", of="item"')}`]: always(2),
    [`sweep_failures_total${of(', sweep="ledger balances", of="partial_round"')}`]: always(2),
    [`sweep_failures_total${of(', sweep="old rows", of="item"')}`]: always(2),
    [`sweep_failures_total${of(', sweep="old rows", of="partial_round"')}`]: always(2),
    [`outbox_oldest_unnumbered_seconds${of()}`]: always(12),
    [`partition_ahead${of(', table="audit_entries"')}`]: always(1),
    [`partitions_overdue${of(', table="audit_entries"')}`]: always(0),
    [`read_replica_in_use${of()}`]: always(1),
    [`http_responses_total${of(', class="2xx"')}`]: growing(600),
    [`http_responses_total${of(', class="5xx"')}`]: growing(3),
    [`work_requests_total${of(', work="ordinary", outcome="admitted"')}`]: growing(600),
    [`work_requests_total${of(', work="ordinary", outcome="refused"')}`]: growing(3),
    // A burst waits for a moment.
    [`database_pool_connections${of(', pool="statements", state="waiting"')}`]: `3 ${always(0)}`,
    [`nodejs_eventloop_lag_p99_seconds${of()}`]: always(0.02),
    [`ingested_samples_total${of(', protocol="remote_write_2", outcome="stored", reason=""')}`]: growing(600),
    [`ingested_samples_total${of(', protocol="remote_write_2", outcome="refused", reason="too_old"')}`]: growing(6),
    [`ingested_samples_total${of(', protocol="otlp", outcome="refused", reason="too_many_series"')}`]: always(6),
    [`marketplace_asks_total${of(', operation="list", outcome="done"')}`]: growing(6),
    ...Object.fromEntries(
      FAULTS_OF_MARKETPLACE.map((outcome) => [
        `marketplace_asks_total${of(`, operation="list", outcome="${outcome}"`)}`,
        always(2),
      ]),
    ),
    // Requests that the marketplace answers, though not as their callers wish.
    ...Object.fromEntries(
      ['busy', 'no_capacity', 'refused'].map((outcome) => [
        `marketplace_asks_total${of(`, operation="create", outcome="${outcome}"`)}`,
        growing(2),
      ]),
    ),
    [`marketplace_asks_total${of(', operation="delete", outcome="unknown"')}`]: growing(1),
    // Of a machine that is deleted already, or once in a while.
    ...Object.fromEntries(
      REFUSALS_OF_DELETIONS.map((outcome) => [
        `marketplace_asks_total${of(`, operation="delete", outcome="${outcome}"`)}`,
        growing(0.1),
      ]),
    ),
    [`up${org()}`]: always(1),
    [`cluster_last_report_timestamp_seconds${org(', cluster="lab", cluster_id="1"')}`]: NOW,
    [`outbox_consumer_last_seen_timestamp_seconds${org(', consumer="agent"')}`]: NOW,
    [`outbox_consumer_lag_events${org(', consumer="agent"')}`]: always(7),
    // Nothing waits for one that has stopped.
    [`outbox_consumer_last_seen_timestamp_seconds${org(', consumer="gone"')}`]: NEVER_AGAIN,
    [`outbox_consumer_lag_events${org(', consumer="gone"')}`]: always(0),
    [`checkpoint_policies_late${org()}`]: always(0),
    [`checkpoint_operations_total${org(', operation="checkpoint", result="succeeded"')}`]: growing(2),
    [`checkpoint_operations_total${org(', operation="checkpoint", result="failed"')}`]: growing(0.2),
  };
};

const HEALTHY: Installation = { ...replica('a'), ...replica('b') };

/** What a fault shows: other values of the series that match, on one replica or both; undefined: none. */
type Fault = Readonly<Record<string, string | undefined>>;

/** The faults of each alert. */
const FAULTS: Readonly<Record<string, Fault | readonly Fault[]>> = {
  ControlPlaneDown: { 'up{job="control-plane", instance="b"': always(0) },
  ControlPlaneAbsent: { 'job="control-plane",': undefined },
  ControlPlaneDatabaseUnavailable: {
    'instance="b", check="database"': always(0),
    'instance="b", check="disk"': always(0),
  },
  ControlPlaneDiskFull: { 'check="disk"': always(0) },
  ControlPlaneFiguresOld: { 'database_figures_timestamp_seconds{job="control-plane", instance="b"': NEVER_AGAIN },
  ControlPlaneSweepLate: {
    'sweep_last_success_timestamp_seconds{job="control-plane", instance="a", sweep="policies"': NEVER_AGAIN,
    'sweep_last_success_timestamp_seconds{job="control-plane", instance="b", sweep="policies"': NEVER_AGAIN,
  },
  ControlPlaneSweepItemsFail: [
    { 'instance="b", sweep="policies", of="item"': growing(1) },
    // In each round, on whichever replica it is.
    { 'sweep="ledger balances", of="partial_round"': stepping(20) },
  ],
  ControlPlaneOutboxStuck: { outbox_oldest_unnumbered_seconds: always(300) },
  ControlPlanePartitionMissing: { partition_ahead: always(0) },
  ControlPlanePartitionsOverdue: { partitions_overdue: always(2) },
  ControlPlaneReadReplicaUnused: { 'read_replica_in_use{job="control-plane", instance="b"': always(0) },
  ControlPlaneReleasesDiffer: {},
  ControlPlaneErrors: { 'class="5xx"': growing(60) },
  ControlPlaneRefusesRequests: { 'work="ordinary", outcome="refused"': growing(60) },
  ControlPlaneConnectionsShort: { 'instance="b", pool="statements", state="waiting"': always(1) },
  ControlPlaneProcessSlow: { 'nodejs_eventloop_lag_p99_seconds{job="control-plane", instance="b"': always(0.8) },
  ControlPlaneSeriesRefused: { 'reason="too_many_series"': growing(1) },
  ControlPlaneMarketplaceFails: FAULTS_OF_MARKETPLACE.map((outcome) => ({ [`outcome="${outcome}"`]: growing(1) })),
  // One machine, which is asked for every 30 seconds, on whichever replica.
  ControlPlaneDeletionsRefused: REFUSALS_OF_DELETIONS.map((outcome) => ({
    [`operation="delete", outcome="${outcome}"`]: growing(1),
  })),
  ControlPlaneExportFails: { [`up{${ORG}, instance="b"`]: always(0) },
  ControlPlaneClusterSilent: { cluster_last_report_timestamp_seconds: NEVER_AGAIN },
  ControlPlaneConsumerSilent: { outbox_consumer_last_seen: NEVER_AGAIN },
  ControlPlaneConsumerBehind: {
    'outbox_consumer_lag_events{job="control-plane-organisation", organisation="default", instance="a", consumer="agent"':
      always(5_000),
  },
  ControlPlanePoliciesLate: { checkpoint_policies_late: always(2) },
  ControlPlaneCheckpointsFail: { 'result="failed"': growing(3) },
};

const FAULTS_OF_ALERTS = ALERTS.flatMap((rule) =>
  [FAULTS[rule.alert] ?? {}].flat().map((fault: Fault) => ({ rule, fault, shows: Object.keys(fault).join(', ') })),
);

/** Its series, with those of a fault of an alert in their place. */
function faulty(alert: string, fault: Fault): Installation {
  const series = Object.entries(HEALTHY).flatMap(([name, values]) => {
    const found = Object.entries(fault).filter(([part]) => name.includes(part));
    if (found.length === 0) return [[name, values] as const];
    return found.flatMap(([, others]) => (others === undefined ? [] : [[name, others] as const]));
  });
  const made = Object.fromEntries(series);
  if (alert !== 'ControlPlaneReleasesDiffer') return made;
  return Object.fromEntries(
    series.map(([name, values]) => [
      name.replace(/(build_info\{.*instance="b", version=)"1.0.0"/, '$1"1.1.0"'),
      values,
    ]),
  );
}

describe('the rules of alerts', () => {
  it('have an alert for each fault that this test knows, and no other', () => {
    expect(ALERTS.map(({ alert }) => alert).sort()).toEqual(Object.keys(FAULTS).sort());
  });

  it.each(ALERTS)('$alert waits before it fires, has a severity and a summary, and a section of the guide', (rule) => {
    expect(rule.for).toMatch(/^\d+[mh]$/);
    expect(['critical', 'warning']).toContain(rule.labels.severity);
    expect(rule.annotations.summary).toMatch(/\.$/);
    const [page = '', anchor = ''] = rule.annotations.runbook.split('#');
    expect(anchor).toBe(rule.alert.toLowerCase());
    const section = readFileSync(join(PROJECT, page), 'utf8').split(`\n### ${rule.alert}\n`)[1]?.split('\n#')[0] ?? '';
    expect(section.trim()).not.toBe('');
  });

  it('are loaded by the configuration of Prometheus, from where Compose mounts them', () => {
    const { rule_files: files } = parse(readFileSync(CONFIG, 'utf8')) as { rule_files: string[] };
    expect(files).toEqual(['rules.yml']);
    const compose = parse(readFileSync(join(PROJECT, 'docker/compose.yaml'), 'utf8')) as {
      services: { prometheus: { volumes: string[] } };
    };
    expect(compose.services.prometheus.volumes).toContain('./prometheus/rules.yml:/etc/prometheus/rules.yml:ro');
  });

  it('are the same for the operator of Prometheus', () => {
    const [manifest] = manifestsIn('components/prometheus-rules/prometheus-rules.yaml');
    expect(manifest?.kind).toBe('PrometheusRule');
    expect(manifest?.spec).toEqual(rules);
  });
});

describeWith(['kubectl'], 'the component of the rules', () => {
  it('adds them to an overlay', () => {
    const found = rendered('components/prometheus-rules').map(({ kind, metadata }) => [kind, metadata.namespace]);
    expect(found).toEqual([['PrometheusRule', 'checkpoint-control-plane']]);
  });
});

describeWith(['promtool'], 'the rules of alerts, as promtool reads them', () => {
  let directory: string;
  beforeAll(() => (directory = mkdtempSync(join(tmpdir(), 'alerts-'))));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));

  it('are without a fault', () => {
    expect(promtool('check', 'rules', '--lint=all', '--lint-fatal', RULES)).toMatchObject({ status: 0 });
  });

  /** Whether exactly these alerts fire for an installation, at each of these minutes. */
  function expectFiring(installation: Installation, minutes: readonly number[], alerts: readonly string[]): void {
    const file = join(directory, 'test.yml');
    writeFileSync(
      file,
      // Which is YAML too.
      JSON.stringify({
        rule_files: [RULES],
        evaluation_interval: '1m',
        tests: [
          {
            interval: '1m',
            input_series: Object.entries(installation).map(([series, values]) => ({ series, values })),
            promql_expr_test: minutes.map((minute) => ({
              expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
              eval_time: `${minute}m`,
              exp_samples: alerts.map((alert) => ({ labels: `{alertname="${alert}"}`, value: 1 })),
            })),
          },
        ],
      }),
    );
    const { status, output } = promtool('test', 'rules', file);
    expect([status, status === 0 ? '' : output]).toEqual([0, '']);
  }

  it('fire not at all while everything is in order', () => expectFiring(HEALTHY, [MINUTES], []));

  it.each(FAULTS_OF_ALERTS)('fire as $rule.alert, and as nothing else, for its fault: $shows', ({ rule, fault }) => {
    expectFiring(faulty(rule.alert, fault), [minutesOf(rule.for) + SEEN_MINUTES], [rule.alert]);
  });

  describe('that judge items of sweeps by the rounds of a sweep', () => {
    const HOURS = 20;
    const during = (failures: Readonly<Record<string, string>>): Installation => {
      const known = Object.entries(HEALTHY).map(([series, values]) => [
        series,
        values.replaceAll(/x\d+/g, `x${HOURS * 60}`),
      ]);
      const failed = Object.entries(failures).flatMap(([sweep, values]) =>
        // Two items in each of these rounds.
        ['partial_round', 'item', 'item'].map((of, nth) => [
          `sweep_failures_total{job="control-plane", instance="c", pod="${nth}", sweep="${sweep}", of="${of}"}`,
          values,
        ]),
      );
      return Object.fromEntries([...known, ...failed]) as Installation;
    };
    const sixHours = 6 * 60;

    it('fire after two rounds in twelve hours in which items of `old rows` fail, and go on', () => {
      const installation = during({ 'old rows': stepping(sixHours, HOURS * 60) });
      expectFiring(installation, [sixHours + 30, 2 * sixHours - 1], []);
      expectFiring(installation, [2 * sixHours + 10, 3 * sixHours - 1, HOURS * 60 - 1], ['ControlPlaneSweepItemsFail']);
    });

    it('fire after an hour in which items of each round of the sweep of the ledger fail', () => {
      const fails = `${always(0, 59)} ${Array.from({ length: 6 }, (_, n) => always(n + 1, 9)).join(' ')}`;
      const installation = during({ 'ledger balances': `${fails} ${always(6, HOURS * 60)}` });
      expectFiring(installation, [60, 75], []);
      expectFiring(installation, [60 + 60], ['ControlPlaneSweepItemsFail']);
      expectFiring(installation, [3 * 60], []);
    });

    it('do not fire for two items of one round of a rare sweep, nor for one in three rounds of the sweep of the ledger', () => {
      const once = `${always(0, sixHours - 1)} ${always(1, HOURS * 60)}`;
      const installation = during({ 'old rows': once, 'ledger balances': stepping(30, HOURS * 60) });
      expectFiring(installation, [sixHours + 10, 2 * sixHours, HOURS * 60 - 1], []);
    });
  });

  /** How many requests fail each minute, and for how many minutes. */
  const troubles: readonly (readonly [number, number])[] = [
    [30, 1],
    [10, 5],
  ];
  const overTroubles = ['ControlPlaneMarketplaceFails', 'ControlPlaneDeletionsRefused'].flatMap((alert) =>
    FAULTS_OF_ALERTS.filter(({ rule }) => rule.alert === alert).flatMap(({ rule, fault, shows }) =>
      troubles.map(([by, lasts]) => ({ rule, fault, shows, by, lasts })),
    ),
  );

  it.each(overTroubles)(
    'do not fire as $rule.alert after $lasts min with $by a minute of $shows',
    ({ rule, fault, by, lasts }) => {
      const before = 60;
      const values = `${always(0, before)} ${growing(by, lasts)} ${always(by * lasts)}`;
      const trouble = Object.fromEntries(Object.keys(fault).map((part) => [part, values]));
      const installation = faulty(rule.alert, trouble);
      const watched = Array.from({ length: 40 }, (_, minute) => before + minute);
      expectFiring(installation, watched, []);
    },
  );
});

/** Selectors in an expression: the metric, and what is written in its braces. */
const selectorsIn = (expr: string): { metric: string; matchers: string }[] =>
  [
    ...expr
      .replaceAll(/\b(without|by|ignoring) \([^)]*\)|\[\w+\]/g, '')
      .matchAll(/\b([a-z]\w*)\b(?!\s*\()(\{[^}]*\})?/g),
  ]
    .map(([, metric = '', matchers = '']) => ({ metric, matchers }))
    .filter(({ metric }) => !['and', 'or', 'unless'].includes(metric));

/** Each value that a selector names: `{of="item"}`, or several in `{outcome=~"silent|defect"}`. */
const valuesIn = (matchers: string): [label: string, value: string][] =>
  [...matchers.matchAll(/(\w+)=~?"([^"]*)"/g)].flatMap(([, label = '', values = '']) =>
    values.split('|').map((value): [string, string] => [label, value]),
  );

describe('the metrics that the rules of alerts read', () => {
  let service: Service;

  beforeAll(async () => (service = await Service.start()));
  afterAll(() => service.close());

  it('are exported by the service, with every label that a rule names', async () => {
    const org = await service.organisation();
    const text = [await service.as(undefined).get('/metrics'), await org.viewer.get('/v1/metrics/export')]
      .map((answer) => answer.text)
      .join('');
    const selectors = ALERTS.flatMap(({ expr }) => selectorsIn(expr)).filter(({ metric }) => metric !== 'up');
    expect(new Set(selectors.map(({ metric }) => metric)).size).toBeGreaterThan(15);
    for (const { metric, matchers } of selectors) {
      expect([metric, text.includes(`\n# TYPE ${metric} `)]).toEqual([metric, true]);
      for (const [label, value] of valuesIn(matchers)) {
        const series = new RegExp(`^${metric}\\{[^}]*\\b${label}="${value}"`, 'm');
        expect([metric, label, value, series.test(text)]).toEqual([metric, label, value, true]);
      }
    }
  });
});
