import { usdOf } from '../../../1-platform/common/money';
import { candidate, RoutingTable, type RoutedProfile, type TargetNow } from './routing-table';
import type { ReportedWorker } from '../../../4-serving/activations/activations.dto';
import type { BackendTimeRow, RoutedProfileRow, RouteRow, WorkerStartRow } from './routing-tables.queries';

const workerStart = (pod_uid: string, overrides: Partial<WorkerStartRow> = {}): WorkerStartRow => ({
  id: `start of ${pod_uid}`,
  pod_uid,
  kind: 'restore',
  took_ms: 10_000,
  credited: false,
  ...overrides,
});

const starts = (count: number) => Array.from({ length: count }, (_, n) => workerStart(`pod-${n}`));

/** A profile without any report or request. */
const profileRow = (overrides: Partial<RoutedProfileRow> = {}): RoutedProfileRow => ({
  profile_id: 'a',
  exact_model: 'exact/a',
  backend_url: 'http://a.svc:8000',
  target_concurrency: 8,
  max_queue_depth: 64,
  min_replicas: 0,
  max_replicas: 4,
  estimated_cold_start_ms: 90_000,
  endpoints: null,
  enabled: true,
  prompt_price: null,
  completion_price: null,
  node_hourly_usd: null,
  phase: null,
  ready: null,
  silent: false,
  endpoint: null,
  start_id: null,
  start_kind: null,
  start_ready: null,
  start_failed: null,
  start_runs_ms: null,
  start_ready_ms: null,
  start_took_ms: null,
  start_credited: false,
  starts: [],
  workers: null,
  desired_state: null,
  desired_replicas: null,
  intent_status: null,
  intent_generation: null,
  intent_age_ms: null,
  asked_ms_ago: null,
  has_artifact: false,
  cold_median_ms: null,
  restore_median_ms: null,
  experiment_id: null,
  ...overrides,
});
const routeRow = (overrides: Partial<RouteRow> = {}): RouteRow => ({
  logical_model: 'model',
  mode: 'priority',
  queue_timeout_ms: 30_000,
  generation: 1,
  classifier_profile_id: null,
  classifier_prompt: null,
  classifier_response_schema: null,
  created_at: new Date(0),
  targets: [{ profile_id: 'a', tier: 'large', priority: 1, enabled: true }],
  ...overrides,
});
const times = (p50_ms: number, p95_ms: number): Map<string, BackendTimeRow> =>
  new Map([['a', { profile_id: 'a', p50_ms, p95_ms }]]);

const profileOf = (overrides: Partial<RoutedProfileRow> = {}, measured = new Map<string, BackendTimeRow>()) =>
  new RoutingTable([], [profileRow(overrides)], measured, 0).profiles.get('a') as RoutedProfile;
const candidateOf = (overrides: Partial<RoutedProfileRow> = {}, ageMs = 0, now: Partial<TargetNow> = {}) => {
  const profile = profileOf(overrides);
  const capacity = profile.workers.reduce((sum, worker) => sum + worker.capacity, 0);
  const target = { profile, tier: 'large', priority: 1, enabled: true };
  return candidate(target, { capacity, inFlight: 0, queued: 0, refusedMs: 0, lostMs: 0, ...now }, ageMs);
};

/** A serving worker, and the intent that it fulfils. */
const SERVING: Partial<RoutedProfileRow> = {
  phase: 'Ready',
  ready: true,
  endpoint: 'http://10.0.0.7:8000',
  start_id: 'start',
  start_kind: 'restore',
  start_ready: true,
  start_failed: false,
  start_runs_ms: 70_000,
  start_ready_ms: 60_000,
  starts: [workerStart('start')],
  desired_state: 'Active',
  desired_replicas: 1,
  intent_status: 'Fulfilled',
  intent_age_ms: 60_000,
  asked_ms_ago: 75_000,
};
/** A worker that comes up, as requested. */
const STARTING: Partial<RoutedProfileRow> = {
  phase: 'Loading',
  ready: false,
  start_id: 'start',
  start_kind: 'cold',
  start_ready: false,
  start_failed: false,
  start_runs_ms: 10_000,
  desired_state: 'Active',
  desired_replicas: 1,
  intent_status: 'Pending',
  intent_age_ms: 12_000,
  asked_ms_ago: 12_000,
};
const pending = (desired_state: string, desired_replicas: number) => ({
  desired_state,
  desired_replicas,
  intent_status: 'Pending',
  intent_age_ms: 0,
  asked_ms_ago: 0,
});
const failed = (msAgo: number) => ({
  desired_state: 'Active',
  desired_replicas: 1,
  intent_status: 'Failed',
  intent_age_ms: msAgo,
  asked_ms_ago: msAgo + 20_000,
});

describe('a profile of a routing table', () => {
  type Shown = Pick<RoutedProfile, 'ready' | 'draining' | 'replicas' | 'start'>;
  const CASES: [name: string, row: Partial<RoutedProfileRow>, shown: Shown][] = [
    ['is asleep without any information', {}, { ready: false, draining: false, replicas: 0, start: 'asleep' }],
    ['is ready as its activation says', SERVING, { ready: true, draining: false, replicas: 1, start: 'asleep' }],
    ['is coming during a start', STARTING, { ready: false, draining: false, replicas: 0, start: 'coming' }],
    [
      'is coming if it was requested and no start has begun',
      pending('Active', 1),
      { ready: false, draining: false, replicas: 0, start: 'coming' },
    ],
    [
      'is coming during a start that was not requested',
      { ...STARTING, desired_state: null, desired_replicas: null, intent_status: null, asked_ms_ago: null },
      { ready: false, draining: false, replicas: 0, start: 'coming' },
    ],
    [
      'is asleep if its start has failed without a new request',
      { ...STARTING, start_failed: true, intent_status: 'Expired' },
      { ready: false, draining: false, replicas: 0, start: 'asleep' },
    ],
    [
      'is asleep if its intent has expired',
      { ...pending('Active', 1), intent_status: 'Expired' },
      { ready: false, draining: false, replicas: 0, start: 'asleep' },
    ],
    [
      'is asleep if it was suspended',
      { ...pending('Suspended', 0), intent_status: 'Fulfilled', phase: 'Suspended', ready: false },
      { ready: false, draining: false, replicas: 0, start: 'asleep' },
    ],
    [
      'is leaving while its suspension is requested, even if its worker still answers',
      { ...SERVING, ...pending('Suspended', 0) },
      { ready: false, draining: true, replicas: 0, start: 'leaving' },
    ],
    [
      'is leaving while its suspension is requested, whatever number of replicas the request names',
      { ...SERVING, ...pending('Suspended', 2) },
      { ready: false, draining: true, replicas: 0, start: 'leaving' },
    ],
    [
      'is leaving while it is requested to have no replicas',
      { ...SERVING, ...pending('Active', 0) },
      { ready: false, draining: true, replicas: 0, start: 'leaving' },
    ],
    [
      'is leaving while its worker is drained',
      { ...SERVING, phase: 'Draining' },
      { ready: false, draining: true, replicas: 0, start: 'leaving' },
    ],
    ['is barred if it failed a moment ago', failed(0), { ready: false, draining: false, replicas: 0, start: 'barred' }],
    ['is barred for 30 seconds', failed(29_999), { ready: false, draining: false, replicas: 0, start: 'barred' }],
    ['is asleep after that', failed(30_000), { ready: false, draining: false, replicas: 0, start: 'asleep' }],
    [
      'is coming if it failed and the next start has begun',
      { ...STARTING, ...failed(0) },
      { ready: false, draining: false, replicas: 0, start: 'coming' },
    ],
    [
      'serves even if it failed to reach more replicas',
      { ...SERVING, ...failed(0) },
      { ready: true, draining: false, replicas: 1, start: 'barred' },
    ],
    [
      'has as many replicas as events report',
      { ...SERVING, starts: starts(3), desired_replicas: 2 },
      { ready: true, draining: false, replicas: 3, start: 'asleep' },
    ],
    [
      'has as many replicas as requested without events',
      { ...SERVING, starts: starts(0), desired_replicas: 2 },
      { ready: true, draining: false, replicas: 2, start: 'asleep' },
    ],
    [
      'has at least one replica if it is ready',
      { ...SERVING, starts: starts(0), desired_state: null, desired_replicas: null, intent_status: null },
      { ready: true, draining: false, replicas: 1, start: 'asleep' },
    ],
    [
      'has one replica if it was suspended before, and came up by itself',
      { ...SERVING, starts: starts(0), desired_state: 'Suspended', desired_replicas: 2 },
      { ready: true, draining: false, replicas: 1, start: 'asleep' },
    ],
    [
      'has no replicas while it is not ready, whatever events report',
      { ...SERVING, ready: false, phase: 'Warming', starts: starts(2) },
      { ready: false, draining: false, replicas: 0, start: 'asleep' },
    ],
  ];

  it.each(CASES)('a profile of a routing table %s', (_name, row, shown) => {
    const { ready, draining, replicas, start } = profileOf(row);
    expect({ ready, draining, replicas, start }).toEqual(shown);
  });

  it("uses its worker's endpoint, else its own address", () => {
    const endpointsOf = (row: Partial<RoutedProfileRow>) => profileOf(row).workers.map(({ endpoint }) => endpoint);
    expect(endpointsOf(SERVING)).toEqual(['http://10.0.0.7:8000']);
    expect(endpointsOf({ ...SERVING, endpoint: null })).toEqual(['http://a.svc:8000']);
    expect(endpointsOf({ ...SERVING, endpoint: '' })).toEqual(['http://a.svc:8000']);
  });

  it('has the generation of its newest intent, and 0 without any', () => {
    expect(profileOf({ ...SERVING, intent_generation: 7 }).intentGeneration).toBe(7);
    expect(profileOf().intentGeneration).toBe(0);
  });

  it('is not ready while nobody has reported where it is', () => {
    expect(profileOf({ ...SERVING, endpoint: null, backend_url: '' })).toMatchObject({ ready: false, workers: [] });
  });

  it('has the reported workers that are ready, each with its start', () => {
    const worker = (workload_uid: string, overrides: Partial<ReportedWorker> = {}): ReportedWorker => ({
      workload_uid,
      endpoint: `http://${workload_uid}:8000`,
      ready: true,
      ...overrides,
    });
    const row = {
      ...SERVING,
      cold_median_ms: 60_000,
      workers: [worker('a'), worker('b', { ready: false }), worker('c', { start_kind: 'cold' }), worker('d')],
      starts: [workerStart('d', { credited: true }), workerStart('a'), workerStart('b'), workerStart('gone')],
    };
    const { ready, replicas, workers } = profileOf(row);
    expect({ ready, replicas }).toEqual({ ready: true, replicas: 3 });
    const known = { capacity: 8, startKind: 'restore', startMs: 10_000 };
    expect(workers).toEqual([
      { ...known, uid: 'a', endpoint: 'http://a:8000', credit: { startId: 'start of a', avoidedMs: 50_000 } },
      { ...known, uid: 'c', endpoint: 'http://c:8000', startKind: 'cold', startMs: null, credit: null },
      { ...known, uid: 'd', endpoint: 'http://d:8000', credit: null },
    ]);
    expect(profileOf({ ...row, workers: [worker('b', { ready: false })] })).toMatchObject({
      ready: false,
      replicas: 0,
    });
    expect(profileOf(SERVING).backendUrl).toBe('http://a.svc:8000');
  });

  it('finds the starts of many workers without comparing each with all others', () => {
    let compared = 0;
    const many = Array.from({ length: 1_000 }, (_, n) => `pod-${n}`);
    const row = {
      ...SERVING,
      workers: many.map((uid) => ({ workload_uid: uid, endpoint: `http://${uid}:8000`, ready: true })),
      starts: many.map((uid) => ({
        ...workerStart(uid),
        get pod_uid() {
          compared++;
          return uid;
        },
      })),
    };
    expect(profileOf(row).workers.every(({ startMs }) => startMs === 10_000)).toBe(true);
    expect(compared).toBeLessThanOrEqual(many.length);
  });

  it('has the newest of several starts of one pod', () => {
    const row = {
      ...SERVING,
      workers: [{ workload_uid: 'a', endpoint: 'http://a:8000', ready: true }],
      starts: [workerStart('a', { took_ms: 5_000 }), workerStart('a')],
    };
    expect(profileOf(row).workers[0]?.startMs).toBe(5_000);
  });

  it.each<[string, Partial<RoutedProfileRow>, number]>([
    ['one replica', {}, 1],
    [
      'the last requested number of replicas',
      { desired_state: 'Active', desired_replicas: 3, intent_status: 'Expired' },
      3,
    ],
    ['its minimal number of replicas', { min_replicas: 2 }, 2],
    ['one if the last request was to suspend it', { desired_state: 'Suspended', desired_replicas: 0 }, 1],
    ['one if it was requested to have none', { desired_state: 'Active', desired_replicas: 0 }, 1],
  ])('is woken to %s', (_name, row, replicas) => {
    expect(profileOf(row).wakeReplicas).toBe(replicas);
  });

  describe('its price', () => {
    const usd = (text: string) => usdOf(text);

    it('is per token if its spec has token prices', () => {
      expect(profileOf({ prompt_price: '0.5', completion_price: '1.5', node_hourly_usd: '3.6' }).price).toEqual({
        pricing: { promptUsdPerMtok: usd('0.5'), completionUsdPerMtok: usd('1.5') },
        nodeHourlyUsd: usd('3.6'),
        targetConcurrency: 8,
        p95BackendMs: null,
      });
    });

    it('may be for one kind of tokens only: the others are free', () => {
      expect(profileOf({ prompt_price: '0.5' }).price.pricing).toEqual({
        promptUsdPerMtok: usdOf('0.5'),
        completionUsdPerMtok: 0n,
      });
      const { pricing } = profileOf({ completion_price: '1.5' }).price;
      expect(pricing).toEqual({ promptUsdPerMtok: 0n, completionUsdPerMtok: usd('1.5') });
    });

    it('counts a price of zero as a price', () => {
      const { pricing } = profileOf({ prompt_price: '0', completion_price: '0', node_hourly_usd: '3.6' }).price;
      expect(pricing).toEqual({ promptUsdPerMtok: 0n, completionUsdPerMtok: 0n });
    });

    it.each(['', 'cheap', '-1', 'NaN', 'Infinity', '1e999', 'true', '{"usd":1}', '[1]', ' 1', '1,5'])(
      '%p is treated as missing: the time counts',
      (text) => {
        const { pricing, nodeHourlyUsd } = profileOf({
          prompt_price: text,
          completion_price: text,
          node_hourly_usd: '3.6',
        }).price;
        expect([pricing, nodeHourlyUsd]).toEqual([null, usd('3.6')]);
      },
    );

    it('is zero without a rate', () => {
      expect(profileOf().price).toMatchObject({ pricing: null, nodeHourlyUsd: 0n });
    });

    it('uses measured times', () => {
      expect(profileOf({}, times(700, 2_500))).toMatchObject({ price: { p95BackendMs: 2_500 }, serviceMs: 700 });
      expect(profileOf()).toMatchObject({ price: { p95BackendMs: null }, serviceMs: 1_000 });
    });
  });
});

describe('a routing table', () => {
  const rows = ['a', 'b'].map((profile_id) => profileRow({ profile_id }));
  const targets = [
    { profile_id: 'b', tier: 'large', priority: 1, enabled: true },
    { profile_id: 'a', tier: 'small', priority: 2, enabled: true },
  ];

  it('holds the routes with their profiles, in the order in which they are tried', () => {
    const table = new RoutingTable([routeRow({ targets })], rows, new Map(), 17);
    const route = table.models.get('model');
    expect(route).toMatchObject({ logicalModel: 'model', mode: 'priority', queueTimeoutMs: 30_000, generation: 1 });
    expect(route?.targets.map(({ profile, tier, priority }) => [profile.profileId, tier, priority])).toEqual([
      ['b', 'large', 1],
      ['a', 'small', 2],
    ]);
    expect(route?.targets[0]?.profile).toBe(table.profiles.get('b'));
    expect(table.readAt).toBe(17);
  });

  it('leaves out a target whose profile was not read with it', () => {
    const table = new RoutingTable([routeRow({ targets })], [profileRow()], new Map(), 0);
    expect(table.models.get('model')?.targets.map(({ profile }) => profile.profileId)).toEqual(['a']);
  });

  it('offers the targets that are enabled and serve the endpoint', () => {
    const all = ['a', 'b', 'c', 'd'].map((profile_id, priority) => ({
      profile_id,
      tier: 't',
      priority,
      enabled: profile_id !== 'b',
    }));
    const profiles = [
      profileRow(),
      profileRow({ profile_id: 'b' }),
      profileRow({ profile_id: 'c', enabled: false }),
      profileRow({ profile_id: 'd', endpoints: ['embeddings'] }),
    ];
    const table = new RoutingTable([routeRow({ targets: all })], profiles, new Map(), 0);
    const offered = (endpoint?: 'chat' | 'embeddings' | 'responses') =>
      table.model('model', endpoint)?.targets.map(({ profile }) => profile.profileId);
    expect(table.models.get('model')?.targets).toHaveLength(4);
    expect([offered(), offered('chat'), offered('embeddings'), offered('responses')]).toEqual([
      ['a', 'd'],
      ['a'],
      ['d'],
      undefined,
    ]);
    expect(table.model('none', 'chat')).toBeUndefined();
  });

  it('knows a model whose targets are all disabled, and one without targets', () => {
    const disabled = routeRow({ targets: [{ profile_id: 'a', tier: 't', priority: 1, enabled: false }] });
    const empty = routeRow({ logical_model: 'empty', targets: [] });
    const table = new RoutingTable([disabled, empty], [profileRow()], new Map(), 0);
    expect(table.model('model', 'chat')).toMatchObject({ targets: [], isDisabled: true });
    expect(table.model('model', 'responses')).toBeUndefined();
    expect(table.model('empty', 'responses')).toMatchObject({ targets: [], isDisabled: false });
  });

  it.each<[string, Partial<RoutedProfileRow>, object | null]>([
    ['a restored start', {}, { startId: 's', avoidedMs: 20_000 }],
    ['one that took longer than a cold start', { start_took_ms: 40_000 }, { startId: 's', avoidedMs: 0 }],
    ['one without a measured cold start', { cold_median_ms: null }, { startId: 's', avoidedMs: 0 }],
    ['a cold start', { start_kind: 'cold' }, null],
    ['one whose beginning was missed', { start_took_ms: null }, null],
    ['one that was credited before', { start_credited: true }, null],
  ])('credits %s with the time that it saved', (_name, overrides, credit) => {
    const restored = { start_id: 's', start_kind: 'restore' as const, start_took_ms: 5_000, cold_median_ms: 25_000 };
    expect(profileOf({ ...restored, ...overrides }).credit).toEqual(credit);
  });

  it('has a route that is disabled only if all of its targets are, for every endpoint and for each', () => {
    const both = routeRow({
      targets: [
        { profile_id: 'a', tier: 'large', priority: 1, enabled: false },
        { profile_id: 'b', tier: 'small', priority: 2, enabled: true },
      ],
    });
    const tableWith = (overrides: Partial<RoutedProfileRow>) =>
      new RoutingTable([both], [profileRow(), profileRow({ profile_id: 'b', ...overrides })], new Map(), 0);
    const some = tableWith({});
    expect([some.models.get('model')?.isDisabled, some.model('model', 'chat')?.isDisabled]).toEqual([false, false]);
    const all = tableWith({ enabled: false });
    expect([all.models.get('model')?.isDisabled, all.model('model', undefined)?.isDisabled]).toEqual([true, true]);
  });

  it('knows no model of an endpoint that it does not know', () => {
    const table = new RoutingTable([routeRow()], [profileRow()], new Map(), 0);
    expect(table.model('model', 'other' as never)).toBeUndefined();
  });

  it('names the endpoints of its workers that a newer one no longer has', () => {
    const tableOf = (...endpoints: string[]) =>
      new RoutingTable(
        [],
        endpoints.map((endpoint, n) => profileRow({ ...SERVING, profile_id: `p${n}`, endpoint })),
        new Map(),
        0,
      );
    const table = tableOf('http://a:1', 'http://b:1', 'http://b:1');
    expect(table.endpointsMissingIn(tableOf('http://a:1', 'http://c:1'))).toEqual(['http://b:1']);
    expect(table.endpointsMissingIn(table)).toEqual([]);
    expect(tableOf().endpointsMissingIn(table)).toEqual([]);
  });

  it('has the sum of the generations of its routes, and of those that were deleted', () => {
    expect(new RoutingTable([], [], new Map(), 0).generation).toBe(0);
    const routes = [3, 5].map((generation) => routeRow({ generation, logical_model: `model-${generation}` }));
    expect(new RoutingTable(routes, rows, new Map(), 0).generation).toBe(8);
    expect(new RoutingTable(routes, rows, new Map(), 0, 4).generation).toBe(12);
  });

  it('keeps the classifier of a route, which need not be a target', () => {
    const classifier = {
      mode: 'classifier' as const,
      classifier_profile_id: 'b',
      classifier_prompt: 'Pick.',
      classifier_response_schema: '{}',
    };
    const table = new RoutingTable([routeRow(classifier)], rows, new Map(), 0);
    expect(table.models.get('model')?.classifier).toEqual({ profileId: 'b', prompt: 'Pick.', responseSchema: '{}' });
    expect(table.profiles.has('b')).toBe(true);
  });
});

describe('a target for a choice', () => {
  it('has the places of all its replicas, and the present counts', () => {
    const three = { ...SERVING, starts: starts(3), target_concurrency: 8, max_queue_depth: 5 };
    expect(candidateOf(three, 0, { inFlight: 7, queued: 2 })).toEqual({
      profileId: 'a',
      tier: 'large',
      ready: true,
      capacity: 24,
      inFlight: 7,
      queued: 2,
      maxQueueDepth: 5,
      serviceMs: 1_000,
      start: 'asleep',
      readyInMs: 90_000,
      overdue: false,
    });
  });

  it('is overdue if its start takes too long, also by the age of the table', () => {
    const measured = { ...STARTING, cold_median_ms: 60_000, start_runs_ms: 119_000 };
    expect(candidateOf(measured)).toMatchObject({ start: 'coming', readyInMs: 0, overdue: false });
    expect(candidateOf(measured, 1_001)).toMatchObject({ start: 'coming', readyInMs: 0, overdue: true });
    const asked = { ...pending('Active', 1), asked_ms_ago: 119_000, cold_median_ms: 60_000 };
    expect(candidateOf(asked, 1_001)).toMatchObject({ start: 'coming', overdue: true });
    expect(candidateOf({ ...measured, ...pending('Suspended', 0) }, 1_001)).toMatchObject({ overdue: false });
  });

  it('is neither ready nor woken while its workers are lost', () => {
    const lost = { lostMs: 4_000, capacity: 0 };
    const silent = { ...SERVING, silent: true };
    expect(candidateOf(silent, 0, lost)).toMatchObject({ ready: false, start: 'barred', readyInMs: 4_000 });
    expect(candidateOf({ ...silent, ...pending('Active', 2) }, 0, lost)).toMatchObject({ start: 'barred' });
    expect(candidateOf(silent)).toMatchObject({ ready: true, start: 'asleep' });
  });

  it('has no places while it is not ready', () => {
    expect(candidateOf(STARTING)).toMatchObject({ ready: false, capacity: 0 });
  });

  it('is expected sooner as its table gets older', () => {
    const measured = { ...STARTING, cold_median_ms: 60_000, start_runs_ms: 10_000 };
    expect(candidateOf(measured).readyInMs).toBe(50_000);
    expect(candidateOf(measured, 2_000).readyInMs).toBe(48_000);
    expect(candidateOf(measured, 80_000).readyInMs).toBe(0);
  });

  it('expects a target that was requested sooner too', () => {
    const asked = { ...pending('Active', 1), asked_ms_ago: 1_000, cold_median_ms: 60_000 };
    expect(candidateOf(asked).readyInMs).toBe(59_000);
    expect(candidateOf(asked, 2_000).readyInMs).toBe(57_000);
  });

  it('expects a target sooner too that was requested when the table was read', () => {
    const asked = { ...pending('Active', 1), asked_ms_ago: 0, cold_median_ms: 60_000 };
    expect(candidateOf(asked, 2_000).readyInMs).toBe(58_000);
  });

  it('does not expect a target sooner that is asleep', () => {
    expect(candidateOf({ cold_median_ms: 60_000 }, 2_000).readyInMs).toBe(60_000);
  });

  it('is restored if possible', () => {
    const medians = { cold_median_ms: 60_000, restore_median_ms: 4_000 };
    expect(candidateOf({ ...medians, has_artifact: true }).readyInMs).toBe(4_000);
    expect(candidateOf({ ...medians, has_artifact: false }).readyInMs).toBe(60_000);
  });

  it('counts a failed target as asleep after the barred time, whatever the age of the table', () => {
    expect(candidateOf(failed(10_000))).toMatchObject({ start: 'barred', readyInMs: 20_000 });
    expect(candidateOf(failed(10_000), 5_000)).toMatchObject({ start: 'barred', readyInMs: 15_000 });
    expect(candidateOf(failed(10_000), 20_000)).toMatchObject({ start: 'asleep' });
  });

  it('bars a target that may not be requested, unless it comes up all the same', () => {
    expect(candidateOf({}, 0, { refusedMs: 4_000 })).toMatchObject({ start: 'barred', readyInMs: 4_000 });
    expect(candidateOf({}, 60_000, { refusedMs: 1 })).toMatchObject({ start: 'barred', readyInMs: 1 });
    expect(candidateOf({}, 0, { refusedMs: 0 })).toMatchObject({ start: 'asleep' });
    expect(candidateOf(STARTING, 0, { refusedMs: 4_000 })).toMatchObject({ start: 'coming' });
    expect(candidateOf(pending('Suspended', 0), 0, { refusedMs: 4_000 })).toMatchObject({ start: 'leaving' });
    expect(candidateOf(failed(10_000), 0, { refusedMs: 4_000 })).toMatchObject({ start: 'barred', readyInMs: 20_000 });
    expect(candidateOf(failed(29_000), 0, { refusedMs: 4_000 })).toMatchObject({ start: 'barred', readyInMs: 4_000 });
  });

  it('expects a released target from its next request, because its running workers do not count', () => {
    const medians = { cold_median_ms: 60_000, restore_median_ms: 4_000 };
    const released = { ...STARTING, ...medians, ...pending('Suspended', 0) };
    expect(candidateOf(released)).toMatchObject({ ready: false, start: 'leaving', readyInMs: 60_000 });
    expect(candidateOf(released, 5_000)).toMatchObject({ ready: false, start: 'leaving', readyInMs: 60_000 });
    expect(candidateOf({ ...SERVING, ...medians, has_artifact: true, phase: 'Draining' })).toMatchObject({
      ready: false,
      capacity: 0,
      start: 'leaving',
      readyInMs: 4_000,
    });
  });
});
