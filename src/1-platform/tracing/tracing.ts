import type { StopTracing } from './trace-export';

type Source = Readonly<Record<string, string | undefined>>;

/**
 * Starts to trace requests, statements and outgoing calls, if OpenTelemetry's own variables name a collector.
 * Otherwise nothing of it is loaded. It must come before the modules that it traces, such as the driver of
 * the database, are loaded: it replaces functions of theirs.
 */
export async function startTracing(source: Source): Promise<StopTracing | undefined> {
  if (!isTracingWanted(source)) return undefined;
  const { exportTraces } = await import('./trace-export.js');
  return exportTraces(source);
}

/** By the variables that OpenTelemetry's specification defines. */
export const isTracingWanted = (source: Source): boolean =>
  [source.OTEL_EXPORTER_OTLP_ENDPOINT, source.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT].some((url) => (url ?? '') !== '') &&
  source.OTEL_SDK_DISABLED?.toLowerCase() !== 'true' &&
  (source.OTEL_TRACES_EXPORTER ?? 'otlp') === 'otlp';
