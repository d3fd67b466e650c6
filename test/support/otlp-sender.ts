import { OTLPMetricExporter as JsonExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPMetricExporter as ProtobufExporter } from '@opentelemetry/exporter-metrics-otlp-proto';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';

/**
 * A program that measures something and exports it once: `otlp-sender.ts <url> <bearer> <protobuf|json>
 * <none|gzip>`. It is a process of its own because jest cannot load the exporters' dynamic imports. It prints
 * the result of the export.
 */
async function main([url = '', token = '', form, compression]: string[]): Promise<void> {
  const options = { url, headers: { authorization: `Bearer ${token}` }, compression: compression as never };
  const exporter = form === 'json' ? new JsonExporter(options) : new ProtobufExporter(options);
  const results: unknown[] = [];
  const send = exporter.export.bind(exporter);
  exporter.export = (metrics, done) =>
    send(metrics, (result) => {
      results.push(result.error === undefined ? result.code : String(result.error));
      done(result);
    });
  const provider = new MeterProvider({
    resource: resourceFromAttributes({ 'host.name': 'host-1', 'service.instance.id': 'i-1' }),
    readers: [new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 600_000 })],
  });
  const meter = provider.getMeter('test', '2.0');
  meter.createGauge('system.memory.usage').record(12.5, { state: 'used' });
  meter.createCounter('system.network.io').add(7, { device: 'eth0' });
  meter.createHistogram('system.latency').record(3);
  meter.createGauge('something.else').record(1);
  await provider.forceFlush();
  await provider.shutdown();
  console.log(JSON.stringify(results));
}

void main(process.argv.slice(2));
