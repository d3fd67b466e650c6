import { context, isSpanContextValid, trace, TraceFlags, type Attributes } from '@opentelemetry/api';

// The trace of the request in progress. Without tracing, these do nothing and cost nothing.

/** `trace_id` and `span_id`, as logs name them; empty without a trace. */
export function traceOfLog(): { trace_id?: string; span_id?: string } {
  const current = trace.getActiveSpan()?.spanContext();
  if (!current || !isSpanContextValid(current)) return {};
  return { trace_id: current.traceId, span_id: current.spanId };
}

/** W3C `traceparent` of the span in progress. @returns undefined without a trace that is recorded */
export function traceparent(): string | undefined {
  const current = trace.getActiveSpan()?.spanContext();
  if (!current || !isSpanContextValid(current) || (current.traceFlags & TraceFlags.SAMPLED) === 0) return undefined;
  return `00-${current.traceId}-${current.spanId}-01`;
}

/** Whether this service traces the request in progress. */
export const isTraced = (): boolean => trace.getActiveSpan() !== undefined;

/** Adds facts to the span in progress, named as OpenTelemetry's conventions do, or with `ccp.` before. */
export const annotate = (facts: Attributes): void => void trace.getActiveSpan()?.setAttributes(facts);

export function nameSpan(name: string, facts: Attributes): void {
  trace.getActiveSpan()?.updateName(name).setAttributes(facts);
}

/** A handler that runs in the current trace, whenever it is called. */
export const inThisTrace = <F extends (...args: never[]) => unknown>(handler: F): F =>
  context.bind(context.active(), handler);
