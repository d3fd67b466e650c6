import { Option } from 'commander';
import { oneOf } from '../api/rows';
import type { Query, Service } from '../api/service';
import { nowMs } from '../clock';
import { usage } from '../failures';
import type { Kind } from '../kinds/kind';
import { kindNamed } from '../kinds/kinds';

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Two hours ago as `2h`, or a time as the API reads it. */
export function timeOf(text: string, name: string): string {
  const [, count, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  if (count !== undefined) {
    const at = new Date(nowMs() - Number(count) * UNITS[unit]!);
    if (!Number.isNaN(at.getTime())) return at.toISOString();
  } else if (/^\d{4}-\d{2}-\d{2}/.test(text) && !Number.isNaN(Date.parse(text))) return new Date(text).toISOString();
  throw usage(`--${name}: "${text}" is neither a time such as 2026-01-31T08:00:00Z nor an age such as 2h.`);
}

export const clusterIdOf = async (service: Service, text: string): Promise<string> => {
  const clusters = kindNamed('cluster');
  return clusters.id(await oneOf(service, clusters, text));
};

/** The options of a kind as parameters of its list. */
export async function queryOf(
  service: Service,
  { filters }: Kind<unknown>,
  options: Readonly<Record<string, unknown>>,
): Promise<Query> {
  const query: Record<string, string> = {};
  for (const { flags, parameter, reads } of filters) {
    const option = new Option(flags);
    const value = options[option.attributeName()];
    if (typeof value !== 'string') continue;
    if (reads === 'cluster') query[parameter] = await clusterIdOf(service, value);
    else query[parameter] = reads === 'time' ? timeOf(value, option.long?.slice(2) ?? '') : value;
  }
  return query;
}
