import type { ClientRequest, IncomingMessage } from 'node:http';
import { context, diag, DiagLogLevel, propagation, trace, type Span } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { registerInstrumentations } from '@opentelemetry/instrumentation';
import { HttpInstrumentation } from '@opentelemetry/instrumentation-http';
import { PgInstrumentation } from '@opentelemetry/instrumentation-pg';
import { UndiciInstrumentation } from '@opentelemetry/instrumentation-undici';
import { defaultResource, detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import { BatchSpanProcessor, TracerProvider } from '@opentelemetry/sdk-trace';
import { createLogger } from '../common/logger';
import { samplerOf } from './sampler';

const SERVICE_NAME = 'checkpoint-control-plane';
/** What is left at the end is sent for so long; a collector that is down must not hold up a shutdown. */
const LAST_EXPORT_MS = 2_000;
/** A collector that is down is reported once in this time. */
const QUIET_MS = 60_000;
/** They are asked every few seconds, and nobody looks for them. */
const UNTRACED = /^\/(livez|readyz|metrics)(\?|$)/;

type Source = Readonly<Record<string, string | undefined>>;

/** Stops tracing: sends what is left, for a short time at most. */
export type StopTracing = () => Promise<void>;

/** Of OpenTelemetry's variables, which the SDK does not read itself. */
function batchesOf({ OTEL_BSP_SCHEDULE_DELAY: delay, OTEL_BSP_MAX_QUEUE_SIZE: queue }: Source) {
  return {
    ...(Number(delay) > 0 && { scheduledDelayMillis: Number(delay) }),
    ...(Number(queue) > 0 && { maxQueueSize: Number(queue) }),
  };
}

/** Loaded only where traces are wanted. Addresses lose their query, which may have a signature. */
export function exportTraces(source: Source): StopTracing {
  diag.setLogger(warningsOf(source.LOG_LEVEL), DiagLogLevel.WARN);
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  // Without baggage: what callers put into it must not reach workers and other services.
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const provider = new TracerProvider({
    resource: defaultResource()
      .merge(resourceFromAttributes({ 'service.name': SERVICE_NAME }))
      .merge(detectResources({ detectors: [envDetector] })),
    sampler: samplerOf(source),
    spanProcessors: [new BatchSpanProcessor({ exporter: new OTLPTraceExporter(), ...batchesOf(source) })],
  });
  trace.setGlobalTracerProvider(provider);
  registerInstrumentations({
    tracerProvider: provider,
    instrumentations: [
      new HttpInstrumentation({
        ignoreIncomingRequestHook: ({ url = '' }) => UNTRACED.test(url),
        // The exporter's own, and those of the service's background work.
        requireParentforOutgoingSpans: true,
        requestHook: withoutQuery,
      }),
      new UndiciInstrumentation({
        requireParentforSpans: true,
        requestHook: (span, { origin, path }) => recordAddress(span, `${origin}${path}`),
      }),
      new PgInstrumentation({
        requireParentSpan: true,
        ignoreConnectSpans: true,
        requestHook: (span, { query: { name } }) => void (name !== undefined && span.updateName(name)),
      }),
    ],
  });
  return async () => {
    const late = new Promise((resolve) => setTimeout(resolve, LAST_EXPORT_MS).unref());
    await Promise.race([provider.shutdown().catch(() => undefined), late]);
  };
}

function withoutQuery(span: Span, request: ClientRequest | IncomingMessage): void {
  if ('protocol' in request) recordAddress(span, `${request.protocol}//${request.host}${request.path}`);
  else span.setAttribute('url.query', '');
}

function recordAddress(span: Span, address: string): void {
  span.setAttributes({ 'url.full': address.split('?', 1)[0]!, 'url.query': '' });
}

/** Warnings of OpenTelemetry itself, in the log of the service. */
function warningsOf(level = 'info') {
  const logger = createLogger(level);
  let quietUntil = 0;
  const warn = (message: string, ...details: unknown[]): void => {
    const now = performance.now();
    if (now < quietUntil) return;
    quietUntil = now + QUIET_MS;
    logger.warn({ detail: [message, ...details].map(String).join(' ') }, 'traces are not exported');
  };
  const silent = (): void => undefined;
  return { error: warn, warn, info: silent, debug: silent, verbose: silent };
}
