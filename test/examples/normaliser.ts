/** What every walk writes for the moment at which it started. */
const START = new Date('2026-01-15T09:00:00.000Z');

/** A walk takes less: what the service stamps meanwhile counts as the start. */
const WALK_MS = 10 * 60_000;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** What is farther away was written down by hand. */
const NEAR_MS = 30 * 24 * HOUR_MS;

const TIME = /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)/g;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
/** Bearers: what a scanner for secrets would find. */
const SECRET = /\b(ccp_|sk-)[A-Za-z0-9_-]{43}/g;
const SIGNATURE = /([?&](?:signature|expires|tag)=)[\w-]+/g;
/** Moments in Prometheus' text format, in seconds. */
const SAMPLE_TIME = /(?<=^\w+_timestamp_seconds(?:\{.*\})? )\d+(?:\.\d+)?$/gm;
const ADDRESS = /http:\/\/127\.0\.0\.1:\d+/g;
/** Members that say how long something took here. */
const MEASURED = new Set(['elapsed_ms', 'retry_after_ms']);

/** Members with the beginning and the end of a day. */
const LIMITS = new Set(['from', 'to']);

/**
 * Makes replies of two walks the same: ids, moments, secrets and addresses become those of an example. Ids
 * are counted in each reply anew, so that a further call changes no other example.
 */
export class Normaliser {
  private readonly named = new Set<number>();

  /** @param start the time of the service's clock, which stands still */
  constructor(readonly start: Date) {}

  /** A moment that the walk names: it stands as far from the start in the example. */
  secondsAgo(seconds: number): string {
    const time = this.start.getTime() - seconds * 1_000;
    this.named.add(time);
    return new Date(time).toISOString();
  }

  normalised(value: unknown): unknown {
    const ids = new Map<string, string>();
    const idOf = (id: string): string => {
      const known = ids.get(id) ?? `01932c00-0000-7000-8000-${String(ids.size + 1).padStart(12, '0')}`;
      ids.set(id, known);
      return known;
    };
    const text = (one: string): string =>
      one
        .replace(TIME, (moment) => new Date(this.shifted(Date.parse(moment))).toISOString())
        .replace(UUID, idOf)
        .replace(SECRET, (_secret, prefix: string) => prefix + 'x'.repeat(43))
        .replace(SAMPLE_TIME, (seconds) => String(this.number(Number(seconds))))
        .replace(SIGNATURE, '$1x')
        .replace(ADDRESS, 'http://127.0.0.1:8000');
    const any = (one: unknown, name = ''): unknown => {
      if (typeof one === 'string') return LIMITS.has(name) ? (this.ofDays(one) ?? text(one)) : text(one);
      if (typeof one === 'number') return MEASURED.has(name) ? 0 : this.number(one);
      if (Array.isArray(one)) return one.map((element) => any(element));
      if (typeof one !== 'object' || one === null) return one;
      return Object.fromEntries(Object.entries(one).map(([key, member]) => [text(key), any(member, key)]));
    };
    return any(value);
  }

  /** Milliseconds and seconds since 1970 are moments too, where they are of these days. */
  private number(value: number): number {
    for (const unit of [1, 1_000]) {
      const isNear = Math.abs(value * unit - this.start.getTime()) < 48 * HOUR_MS;
      if (isNear) return Math.floor(this.shifted(value * unit) / unit);
    }
    return value;
  }

  /** Midnight stays midnight, as many days before the start. */
  private ofDays(moment: string): string | undefined {
    const time = Date.parse(moment);
    if (!(time % DAY_MS === 0 && Math.abs(time - this.start.getTime()) < NEAR_MS)) return undefined;
    const dayOf = (of: number): number => Math.floor(of / DAY_MS);
    const days = dayOf(time) - dayOf(this.start.getTime());
    return new Date((dayOf(START.getTime()) + days) * DAY_MS).toISOString();
  }

  private shifted(time: number): number {
    const offset = time - this.start.getTime();
    if (this.named.has(time)) return START.getTime() + offset;
    if (offset >= 0 && offset < WALK_MS) return START.getTime();
    // Buckets of hours; the walk starts at a full one.
    if (time % HOUR_MS === 0 && Math.abs(offset) < NEAR_MS)
      return START.getTime() + Math.ceil(offset / HOUR_MS) * HOUR_MS;
    return Math.abs(offset) < NEAR_MS ? START.getTime() + Math.round(offset / HOUR_MS) * HOUR_MS : time;
  }
}
