import type pg from 'pg';
import type { Request } from './usage-records';
import { DAY, HOUR, MINUTE } from './durations';

/**
 * The expected contents of the tables of sums for these requests, calculated one by one in JavaScript. Rows
 * are sorted texts, so that a difference is easy to read.
 */
interface Sums {
  readonly usage_rollups: string[];
  readonly warm_waits: string[];
  readonly busy_minutes: string[];
  readonly busy_hours: string[];
  readonly busy_spans: string[];
}

const STEPS = [60, 900, 3_600, 86_400, 864_000];
const BUSY_SPANS = [86_400, 864_000];

const requestsIf =
  (is: (request: Request) => boolean) =>
  (request: Request): number =>
    is(request) ? 1 + request.repeated : 0;

/** The members of a rollup in this order, for one record. */
const MEASURES: Readonly<Record<string, (request: Request) => number | null>> = {
  requests: requestsIf(() => true),
  successes: requestsIf(({ status_code: status }) => status === null || (status >= 200 && status < 300)),
  refusals: requestsIf(({ status_code: status }) => status !== null && status >= 400 && status !== 499),
  fallbacks: requestsIf(({ fallback_used: fallback }) => fallback),
  deadline_misses: requestsIf(({ deadline_missed: missed }) => missed),
  prompt_tokens: ({ prompt_tokens: tokens }) => tokens,
  completion_tokens: ({ completion_tokens: tokens }) => tokens,
  cold_start_avoided_ms: ({ cold_start_avoided_ms: avoided }) => avoided,
  backend_count: ({ backend_ms: ms }) => Number(ms !== null),
  backend_ms: ({ backend_ms: ms }) => ms,
  fallback_backend_ms: ({ backend_ms: ms, fallback_used: fallback }) => (fallback ? ms : 0),
  routing_count: requestsIf(({ routing_ms: ms }) => ms !== null),
  routing_ms: ({ routing_ms: ms, repeated }) => (ms ?? 0) * (1 + repeated),
  ttft_count: ({ ttft_ms: ms }) => Number(ms !== null),
  ttft_ms: ({ ttft_ms: ms }) => ms,
  // Of requests that report both; one without a token or a duration adds nothing.
  timed_tokens: ({ backend_ms: ms, completion_tokens: tokens }) => (ms === null || ms === 0 ? 0 : tokens),
  timed_ms: ({ backend_ms: ms, completion_tokens: tokens }) => (tokens === null ? 0 : ms),
};

const floor = (at: number, length: number): number => Math.floor(at / length) * length;
const sorted = (texts: Iterable<string>): string[] => [...texts].sort();

function rollups(requests: readonly Request[]): string[] {
  const rows = new Map<string, bigint[]>();
  for (const request of requests)
    for (const step of STEPS) {
      const { at, logical_model: model, profile_id: profile, meant_for_profile_id: meant } = request;
      const key = JSON.stringify([step, floor(at, step * 1_000), model, profile, meant]);
      const sums = rows.get(key) ?? Object.values(MEASURES).map(() => 0n);
      rows.set(key, sums);
      for (const [place, measure] of Object.values(MEASURES).entries())
        sums[place] = (sums[place] ?? 0n) + BigInt(measure(request) ?? 0);
    }
  return sorted([...rows].map(([key, sums]) => `${key} ${sums.join(' ')}`));
}

function warmWaits(requests: readonly Request[]): string[] {
  const rows = new Map<string, number>();
  for (const { at, activation_path: path, profile_id: profile, queue_ms: waited } of requests) {
    if (path !== 'warm' || profile === null || waited === null) continue;
    const key = JSON.stringify([floor(at, HOUR), profile, waited]);
    rows.set(key, (rows.get(key) ?? 0) + 1);
  }
  return sorted([...rows].map(([key, count]) => `${key} ${count}`));
}

export type Interval = readonly [since: number, until: number];

/**
 * The times at which workers of each profile had a request in progress, as disjoint intervals that do not
 * touch. A request without an end time ended when its waiting and serving times had passed; one of more than
 * a day counts for its last day. A classifier had it from its arrival on.
 */
export function busyTimes(requests: readonly Request[]): Map<string, Interval[]> {
  const found = new Map<string, Interval[]>();
  const add = (profile: string | null, took: number | null, ended: number) => {
    if (profile === null || took === null || took === 0) return;
    found.set(profile, [...(found.get(profile) ?? []), [ended - Math.min(took, DAY), ended]]);
  };
  for (const request of requests) {
    const { at, backend_ms: backend, end_to_end_ms: whole, queue_ms: waited, classifier_ms: classified } = request;
    const served = backend ?? 0;
    add(request.profile_id, backend, at + (whole === null ? (waited ?? 0) + served : Math.max(whole, served)));
    add(request.classifier_profile_id, classified, at + (classified ?? 0));
  }
  return new Map([...found].map(([profile, intervals]) => [profile, union(intervals)]));
}

function union(intervals: readonly Interval[]): Interval[] {
  const merged: [number, number][] = [];
  for (const [since, until] of intervals.toSorted(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last && since <= last[1]) last[1] = Math.max(last[1], until);
    else merged.push([since, until]);
  }
  return merged;
}

function busy(requests: readonly Request[]): Pick<Sums, 'busy_minutes' | 'busy_hours' | 'busy_spans'> {
  const minutes = new Map<string, Interval[]>();
  const hours = new Map<string, number>();
  const spans = new Map<string, number>();
  for (const [profile, intervals] of busyTimes(requests))
    for (const [since, until] of intervals)
      for (let minute = floor(since, MINUTE); minute < until; minute += MINUTE) {
        const part: Interval = [Math.max(since - minute, 0), Math.min(until - minute, MINUTE)];
        const key = JSON.stringify([minute, profile]);
        minutes.set(key, [...(minutes.get(key) ?? []), part]);
        const hour = JSON.stringify([floor(minute, HOUR), profile]);
        hours.set(hour, (hours.get(hour) ?? 0) + part[1] - part[0]);
        for (const step of BUSY_SPANS) {
          const span = JSON.stringify([step, floor(minute, step * 1_000), profile]);
          spans.set(span, (spans.get(span) ?? 0) + part[1] - part[0]);
        }
      }
  const rows = [...minutes].map(([key, parts]) => {
    const length = parts.reduce((sum, [since, until]) => sum + until - since, 0);
    return `${key} {${parts.map(([since, until]) => `[${since},${until})`).join(',')}} ${length}`;
  });
  const texts = (sums: ReadonlyMap<string, number>) => sorted([...sums].map(([key, ms]) => `${key} ${ms}`));
  return { busy_minutes: sorted(rows), busy_hours: texts(hours), busy_spans: texts(spans) };
}

export const sumsOf = (requests: readonly Request[]): Sums => ({
  usage_rollups: rollups(requests),
  warm_waits: warmWaits(requests),
  ...busy(requests),
});

const at = (column: string): string => `(extract(epoch from ${column}) * 1000)::bigint`;
const KEPT: Readonly<Record<keyof Sums, string>> = {
  usage_rollups: `select json_build_array(step, ${at('bucket')}, logical_model, profile_id, meant_for_profile_id) as key,
    concat_ws(' ', ${Object.keys(MEASURES).join(', ')}) as value from usage_rollups where org_id = $1`,
  warm_waits: `select json_build_array(${at('hour')}, profile_id, queue_ms) as key, requests::text as value from warm_waits where org_id = $1`,
  busy_minutes: `select json_build_array(${at('minute')}, profile_id) as key, concat_ws(' ', busy, busy_ms) as value from busy_minutes where org_id = $1`,
  busy_hours: `select json_build_array(${at('hour')}, profile_id) as key, busy_ms::text as value from busy_hours where org_id = $1`,
  busy_spans: `select json_build_array(step, ${at('bucket')}, profile_id) as key, busy_ms::text as value from busy_spans where org_id = $1`,
};

/** The contents of the tables for an organisation. */
export async function keptSums(db: Pick<pg.ClientBase, 'query'>, { id }: { id: string }): Promise<Sums> {
  const read = async (table: keyof Sums): Promise<string[]> => {
    const { rows } = await db.query<{ key: unknown; value: string }>(KEPT[table], [id]);
    return sorted(rows.map(({ key, value }) => `${JSON.stringify(key)} ${value}`));
  };
  return {
    usage_rollups: await read('usage_rollups'),
    warm_waits: await read('warm_waits'),
    busy_minutes: await read('busy_minutes'),
    busy_hours: await read('busy_hours'),
    busy_spans: await read('busy_spans'),
  };
}
