import { mock } from 'node:test';
import { newId } from '../../1-platform/common/ids';
import { MAX_EXPERIMENTS_OF_ONE, MAX_SPANS, MAX_SPANS_OF_ONE, RefusalSpans, SPAN_MS } from './refusal-spans';
import { refusedRow } from './refused-request';
import type { UsageRow } from './usage.queries';

const KIND = {
  orgId: 'org',
  keyId: 'key',
  logicalModel: 'model',
  experimentId: null as string | null,
  status: 429,
  streamed: false,
};
const refused = (overrides: Partial<typeof KIND> = {}, tookMs = 0): UsageRow =>
  refusedRow({ ...KIND, ...overrides, requestId: newId(), tookMs });

describe('refusals', () => {
  let written: UsageRow[];
  let hasRoom: boolean;
  let spans: RefusalSpans;
  let now: number;

  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
    [written, hasRoom, now] = [[], true, 1_000];
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    spans = new RefusalSpans({
      get hasRoom() {
        return hasRoom;
      },
      settle: (row) => written.push(row),
    });
  });
  afterEach(() => mock.timers.reset());

  const pass = (milliseconds: number): void => {
    now += milliseconds;
    mock.timers.tick(milliseconds);
  };

  const requests = (): number => written.reduce((sum, { repeated }) => sum + 1 + repeated, 0);

  it('have a record of the first at once, and one of all others of its kind when the span ends', () => {
    const first = refused();
    spans.add(first);
    expect(written).toEqual([first]);
    for (let n = 0; n < 299; n++) spans.add(refused());
    pass(SPAN_MS - 1);
    expect(written).toHaveLength(1);
    pass(1);
    expect(written.map(({ repeated }) => repeated)).toEqual([0, 298]);
    expect(written[1]).toMatchObject({ org_id: 'org', key_id: 'key', logical_model: 'model', status_code: 429 });
  });

  it('are written at once again after a span without others', () => {
    spans.add(refused());
    pass(SPAN_MS);
    expect(written).toHaveLength(1);
    spans.add(refused());
    expect(written.map(({ repeated }) => repeated)).toEqual([0, 0]);
  });

  it('have the means of their times', () => {
    spans.add(refused());
    spans.add(refused({}, 100));
    pass(1_000);
    spans.add(refused({}, 301));
    pass(SPAN_MS - 1_000);
    // They arrived 100 ms before the first one was written, and 699 ms after that.
    expect(written[1]).toMatchObject({
      began_ms_ago: SPAN_MS - (699 - 100) / 2,
      end_to_end_ms: 201,
      queue_ms: null,
      routing_ms: null,
      repeated: 1,
    });
  });

  it('have the means of the times of waiting and routing, where they have such times', () => {
    const waited = (queueMs: number, routingMs: number) => ({
      ...refused(),
      queue_ms: queueMs,
      routing_ms: routingMs,
    });
    for (const row of [waited(7, 7), waited(10, 1), waited(20, 2)]) spans.add(row);
    // Without such times it is another kind.
    spans.add(refused());
    spans.end();
    expect(written).toMatchObject([
      { queue_ms: 7, routing_ms: 7, repeated: 0 },
      { queue_ms: null, routing_ms: null, repeated: 0 },
      { queue_ms: 15, routing_ms: 2, repeated: 1 },
    ]);
  });

  it.each<[string, Partial<typeof KIND>]>([
    ['an organisation', { orgId: 'other' }],
    ['a key', { keyId: 'other' }],
    ['a model', { logicalModel: 'other' }],
    ['an experiment', { experimentId: 'one' }],
    ['a status', { status: 404 }],
    ['a stream', { streamed: true }],
  ])('are not added up with those of another kind, by %s', (_what, other) => {
    for (const kind of [{}, other, {}, other, other]) spans.add(refused(kind));
    spans.end();
    expect(written.map(({ repeated }) => repeated)).toEqual([0, 0, 0, 1]);
    const [, , mine, theirs] = written;
    expect(mine).toEqual({ ...written[0], request_id: mine?.request_id });
    expect(theirs).toEqual({ ...written[1], request_id: theirs?.request_id, repeated: 1 });
  });

  it('are written as they come if an organisation names too many kinds, and those of others are added up', () => {
    const kinds = Array.from({ length: MAX_SPANS_OF_ONE + 1 }, (_, n) => `model-${n}`);
    for (let n = 0; n < 3; n++) for (const logicalModel of kinds) spans.add(refused({ logicalModel }));
    expect(written).toHaveLength(MAX_SPANS_OF_ONE + 3);
    for (let n = 0; n < 3; n++) spans.add(refused({ orgId: 'other' }));
    expect(written).toHaveLength(MAX_SPANS_OF_ONE + 4);
    pass(SPAN_MS);
    expect(written).toHaveLength(2 * MAX_SPANS_OF_ONE + 5);
    expect(requests()).toBe(3 * kinds.length + 3);
    // Its spans have ended: there is room for others.
    const before = written.length;
    for (let n = 0; n < 3; n++) spans.add(refused({ logicalModel: 'new' }));
    expect(written).toHaveLength(before + 1);
  });

  it('are recorded without their experiment if an organisation names too many', () => {
    const invent = (count: number) => {
      for (let n = 0; n < count; n++) spans.add(refused({ experimentId: newId() }));
    };
    invent(MAX_EXPERIMENTS_OF_ONE + 300);
    spans.add(refused({ orgId: 'other', experimentId: 'experiment' }));
    expect(written).toHaveLength(MAX_EXPERIMENTS_OF_ONE + 2);
    expect(written.filter(({ experiment_id: id }) => id === null)).toHaveLength(1);
    pass(SPAN_MS);
    expect(written).toHaveLength(MAX_EXPERIMENTS_OF_ONE + 3);
    expect(written.at(-1)).toMatchObject({ org_id: 'org', experiment_id: null, repeated: 298 });
    // Its spans have ended: there is room for others.
    const before = written.length;
    invent(MAX_EXPERIMENTS_OF_ONE);
    expect(written.slice(before).every(({ experiment_id: id }) => id !== null)).toBe(true);
    expect(written).toHaveLength(before + MAX_EXPERIMENTS_OF_ONE);
  });

  it('are written as they come if all organisations together have too many kinds', () => {
    const add = (n: number) => spans.add(refused({ orgId: `org-${n % 100}`, logicalModel: `model-${n}` }));
    for (let n = 0; n < MAX_SPANS; n++) add(n);
    expect(written).toHaveLength(MAX_SPANS);
    add(0);
    expect(written).toHaveLength(MAX_SPANS);
    for (let n = 0; n < 2; n++) add(MAX_SPANS);
    expect(written).toHaveLength(MAX_SPANS + 2);
  });

  it('are added up from the first on while too many records wait, until there is room', () => {
    hasRoom = false;
    for (let n = 0; n < 3; n++) spans.add(refused());
    pass(2.5 * SPAN_MS);
    spans.add(refused());
    expect(written).toEqual([]);
    hasRoom = true;
    pass(SPAN_MS);
    expect(written.map(({ repeated }) => repeated)).toEqual([3]);
  });

  it('are dropped if there are too many kinds while too many records wait', () => {
    hasRoom = false;
    for (let n = 0; n <= MAX_SPANS_OF_ONE; n++) spans.add(refused({ logicalModel: `model-${n}` }));
    hasRoom = true;
    pass(SPAN_MS);
    expect(requests()).toBe(MAX_SPANS_OF_ONE);
  });

  it.each([true, false])('are all written when the service stops, and each one from then on; room: %j', (room) => {
    hasRoom = room;
    for (let n = 0; n < 5; n++) spans.add(refused());
    spans.end();
    expect(requests()).toBe(5);
    for (let n = 0; n < 2; n++) spans.add(refused());
    expect([requests(), written.at(-1)?.repeated]).toEqual([7, 0]);
    pass(2 * SPAN_MS);
    expect(requests()).toBe(7);
  });
});
