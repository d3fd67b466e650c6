import { isTracingWanted } from './tracing';

const COLLECTOR = 'http://collector:4318';

describe('tracing', () => {
  it.each([
    ['an endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR }],
    ['an endpoint of traces', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: COLLECTOR }],
    ['the exporter of OTLP', { OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, OTEL_TRACES_EXPORTER: 'otlp' }],
    ['an SDK that is not disabled', { OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, OTEL_SDK_DISABLED: 'false' }],
  ])('is on if the environment names %s', (_, source) => {
    expect(isTracingWanted(source)).toBe(true);
  });

  it.each([
    ['nothing', {}],
    ['an empty endpoint', { OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
    ['only another signal', { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: COLLECTOR }],
    ['no exporter of traces', { OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, OTEL_TRACES_EXPORTER: 'none' }],
    ['a disabled SDK', { OTEL_EXPORTER_OTLP_ENDPOINT: COLLECTOR, OTEL_SDK_DISABLED: 'TRUE' }],
  ])('is off if the environment names %s', (_, source) => {
    expect(isTracingWanted(source)).toBe(false);
  });
});
