import { readFileSync } from 'node:fs';
import { uncompressSync } from 'snappy';
import { mapSeries } from '../../src/6-insight/time-series/rows/sample-mapping';
import { readVersion1 } from '../../src/6-insight/time-series/protocols/remote-write';
import { stepsInSlices } from '../../src/1-platform/common/work/slices';

import { missing } from '../support/components';
import { Prometheus } from '../support/prometheus';
import { body1, HEADERS_1, type BuiltSeries } from '../support/remote-write';
import { sampleBytes } from '../support/samples';
import type { BenchCase } from './bench';
import { load } from './loader';
import { TOKEN } from './workbench';

/** Hosts that repeat a captured host's requests, each over a connection of its own, and how often. */
const HOSTS = 8;
const SCRAPES = 60;
const SCRAPE_MS = 15_000;
/** The default of Prometheus. */
const SAMPLES_A_REQUEST = 500;

/**
 * What Prometheus and vmagent sent for a host, without the metrics that the service ignores: each side must
 * store all of it.
 */
async function captured(): Promise<Record<string, string>[]> {
  const found = new Map<string, Record<string, string>>();
  for (const file of ['remote-write.bin', 'remote-write-vmagent.bin']) {
    const captured = await stepsInSlices(readVersion1(uncompressSync(sampleBytes(file), { asBuffer: true }) as Buffer));
    for (let series = 0; series < captured.series; series++) {
      const { name, labels, kind } = captured.describe(series);
      const mapped = mapSeries(name, labels, kind);
      if (mapped.as === 'series') found.set(mapped.digest, { __name__: name, ...Object.fromEntries(labels) });
    }
  }
  return [...found.values()];
}

function request(path: string, body: Buffer): Buffer {
  const headers = { host: 'bench', authorization: `Bearer ${TOKEN}`, ...HEADERS_1, 'content-length': body.length };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), body]);
}

/** A round of all hosts, later than the previous one. */
function round(labels: readonly Record<string, string>[], from: number): Buffer[][] {
  return Array.from({ length: HOSTS }, (_, host) => {
    const ofHost = labels.map((one) => ({ ...one, instance: `host-${host}:9100` }));
    const bodies: Buffer[] = [];
    for (let scrape = 0; scrape < SCRAPES; scrape++) {
      const series: BuiltSeries[] = ofHost.map((one, place) => ({
        labels: one,
        samples: [[from + scrape * SCRAPE_MS, place * 1_000 + scrape * 1.25]],
      }));
      for (let at = 0; at < series.length; at += SAMPLES_A_REQUEST)
        bodies.push(body1(...series.slice(at, at + SAMPLES_A_REQUEST)));
    }
    return bodies;
  });
}

/** Prometheus takes an older sample for that of a moment, which would hide that one is missing. */
const LOOK_BACK = '--query.lookback-delta=1s';

/** Samples that Prometheus has of a round's scrapes, the first of which has a time in milliseconds. */
async function storedIn(prometheus: Prometheus, from: number): Promise<number> {
  const body = new URLSearchParams({
    query: 'count({__name__=~".+"})',
    start: String(from / 1_000),
    end: String((from + (SCRAPES - 1) * SCRAPE_MS) / 1_000),
    step: String(SCRAPE_MS / 1_000),
  });
  const answer = await fetch(`${prometheus.url}/api/v1/query_range`, { method: 'POST', body });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`Prometheus answered ${answer.status}: ${text.slice(0, 500)}`);
  const { data } = JSON.parse(text) as { data: { result: { values: [number, string][] }[] } };
  return (data.result[0]?.values ?? []).reduce((sum, [, series]) => sum + Number(series), 0);
}

/** The minimal share of the receiver's samples per second. */
const SHARE = 0.6;

export const ingest: BenchCase = {
  name: 'ingest',
  what: `P8: POST /v1/metrics/write of what was captured of a host, ${HOSTS} hosts, ${SCRAPES} scrapes, against Prometheus' own receiver`,
  async prepare(bench) {
    const absent = missing(['../shared/samples', 'Prometheus']);
    if (absent.length > 0) return `missing: ${absent.join(', ')}`;
    const prometheus = await Prometheus.start({ global: {} }, '--web.enable-remote-write-receiver', LOOK_BACK);
    // A process that has done nothing else: its memory is that of the samples.
    const replica = await bench.replica();
    const labels = await captured();
    const samples = labels.length * HOSTS * SCRAPES;
    const span = SCRAPES * SCRAPE_MS;
    const first = Math.floor(Date.now() / 1_000) * 1_000 - 8 * span;
    const memory: number[] = [];
    const seconds: Record<string, number[]> = { service: [], prometheus: [] };
    const lanes = (path: string, turn: number) =>
      round(labels, first + turn * span).map((bodies) => bodies.map((body) => request(path, body)));
    return {
      sides: [
        {
          name: 'service',
          async run(turn) {
            memory.push(megabytes(replica.process.pid ?? 0));
            const { milliseconds } = await load(replica.url, lanes('/v1/metrics/write', turn));
            const { rows } = await bench.db.query<{ stored: number }>(
              'select sum(cardinality(sample_values))::int as stored from grouped_samples where sampled_at >= to_timestamp($1 / 1000.0) and sampled_at < to_timestamp($2 / 1000.0)',
              [first + turn * span, first + (turn + 1) * span],
            );
            if (rows[0]?.stored !== samples) throw new Error(`${rows[0]?.stored} of ${samples} samples were stored`);
            memory.push(megabytes(replica.process.pid ?? 0));
            if (turn > 0) seconds.service?.push(milliseconds);
            return milliseconds;
          },
        },
        {
          name: 'prometheus',
          isReference: true,
          async run(turn) {
            const { milliseconds } = await load(prometheus.url, lanes('/api/v1/write', turn));
            const stored = await storedIn(prometheus, first + turn * span);
            if (stored !== samples) throw new Error(`Prometheus stored ${stored} of ${samples} samples`);
            if (turn > 0) seconds.prometheus?.push(milliseconds);
            return milliseconds;
          },
        },
      ],
      bounds: [{ of: 'service', against: 'prometheus', atMost: 1 / SHARE }],
      notes: () => [
        ...Object.entries(seconds).map(([side, all]) => {
          const middle = [...all].sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? NaN;
          return `${side}: ${Math.round(samples / (middle / 1_000))} samples/s (${samples} of ${labels.length * HOSTS} series a round)`;
        }),
        `resident memory of the service: ${memory[1]?.toFixed(0)} MB after the first round, ${memory.at(-1)?.toFixed(0)} MB after the last`,
      ],
      close: async () => {
        await prometheus.stop();
        await replica.stop();
      },
    };
  },
};

function megabytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kilobytes) / 1_024;
}
