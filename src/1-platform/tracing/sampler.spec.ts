import { ROOT_CONTEXT, SpanKind, trace, TraceFlags } from '@opentelemetry/api';
import { SamplingDecision } from '@opentelemetry/sdk-trace';
import { samplerOf } from './sampler';

const ROUNDS = 1_000;
const TRACE_ID = 'd4cda95b652f4a1592b449d5929fda1b';

const decide = (source: Record<string, string>, traceId = TRACE_ID, context = ROOT_CONTEXT): boolean =>
  samplerOf(source).shouldSample(context, traceId, 'GET', SpanKind.SERVER, {}, []).decision ===
  SamplingDecision.RECORD_AND_SAMPLED;

const below = (traceFlags: TraceFlags) =>
  trace.setSpanContext(ROOT_CONTEXT, { traceId: TRACE_ID, spanId: '6e0c63257de34c92', traceFlags, isRemote: true });

/** Trace ids whose parts that samplers look at are spread evenly. */
const traceIds = Array.from({ length: ROUNDS }, (_, at) =>
  Math.floor((at / ROUNDS) * 2 ** 32)
    .toString(16)
    .padStart(8, '0')
    .padEnd(32, '0'),
);

describe('the sampler of traces', () => {
  it('records all traces that begin here unless a variable says otherwise', () => {
    expect(decide({})).toBe(true);
    expect(decide({ OTEL_TRACES_SAMPLER: '' })).toBe(true);
    expect(decide({ OTEL_TRACES_SAMPLER: 'unknown' })).toBe(true);
  });

  it('follows the decision of the caller where the name says that it is parent based', () => {
    expect(decide({}, TRACE_ID, below(TraceFlags.NONE))).toBe(false);
    expect(decide({ OTEL_TRACES_SAMPLER: 'always_on' }, TRACE_ID, below(TraceFlags.NONE))).toBe(true);
    const never = { OTEL_TRACES_SAMPLER: 'parentbased_always_off' };
    expect(decide(never)).toBe(false);
    expect(decide(never, TRACE_ID, below(TraceFlags.SAMPLED))).toBe(true);
    expect(decide({ OTEL_TRACES_SAMPLER: 'always_off' }, TRACE_ID, below(TraceFlags.SAMPLED))).toBe(false);
  });

  it.each([
    ['0.25', 0.25],
    ['0', 0],
    ['1', 1],
    ['-1', 1],
    ['1.5', 1],
    ['some', 1],
  ])('records the share of traces that the argument %s names', (argument, share) => {
    for (const name of ['traceidratio', 'parentbased_traceidratio']) {
      const source = { OTEL_TRACES_SAMPLER: name, OTEL_TRACES_SAMPLER_ARG: argument };
      const recorded = traceIds.filter((traceId) => decide(source, traceId)).length;
      expect(Math.abs(recorded - share * ROUNDS)).toBeLessThanOrEqual(1);
    }
  });
});
