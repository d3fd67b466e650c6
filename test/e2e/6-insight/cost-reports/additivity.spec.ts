import { newId } from '../../../../src/1-platform/common/ids';
import type { CostRow } from '../../../../src/6-insight/cost-reports/cost-breakdown.queries';
import { WorkerSums } from '../../../../src/6-insight/cost-reports/worker-sums/worker-sums';
import { costRows, windowOfAll } from '../../../support/costs';
import { saveRoute, targetsOf } from '../../../support/inference';
import { createProfile } from '../../../support/profiles';
import { experimentOf } from '../../../support/reports';
import { seeded } from '../../../support/random';
import { Service, type Organisation } from '../../../support/service';
import { buildRequest, writeRequests, type Request } from '../../../support/usage-records';
import { HOUR, MINUTE } from '../../../support/durations';

const SEEDS = [1, 20_261_121, 77, 4_711];
/** The second profile has no rates. */
const PROFILES = ['dear', 'free', 'small', 'tiny'];
const RATES: Readonly<Record<string, { node: number; storage: number; transfer: number }>> = {
  dear: { node: 12.345678, storage: 0.000_321, transfer: 0.09 },
  small: { node: 0.7, storage: 0.000_03, transfer: 0.013 },
  tiny: { node: 0.000_001, storage: 7, transfer: 0 },
};
const ROUTES: Readonly<Record<string, string[]>> = { chat: ['dear', 'small'], code: ['free', 'dear'], none: [] };
/** A full hour, and some hours from there. Recent enough for the sums of workers' times. */
const FROM = Math.floor(Date.now() / HOUR) * HOUR - 72 * HOUR;
const TO = FROM + 7 * HOUR;
/** Amounts have 12 decimals. */
const DIGITS = 12;

interface Start {
  profileId: string;
  pod: boolean;
  beganAt: number;
  readyAt: number | null;
  failedAt: number | null;
  endedAt: number | null;
}
interface Ask {
  profileId: string;
  generation: number;
  replicas: number;
  at: number;
}
interface Artifact {
  id: string;
  profileId: string;
  physicalBytes: number | null;
  logicalBytes: number | null;
  stays: [since: number, until: number | null][];
}
interface Transfer {
  profileId: string | null;
  at: number;
  bytes: number | null;
}
interface History {
  starts: Start[];
  asks: Ask[];
  usage: Request[];
  artifacts: Artifact[];
  transfers: Transfer[];
}

type Random = () => number;
const below = (random: Random, limit: number): number => Math.floor(random() * limit);
const pick = <T>(random: Random, ...values: readonly T[]): T => values[below(random, values.length)] as T;
const many = <T>(count: number, make: (place: number) => T): T[] =>
  Array.from({ length: count }, (_, place) => make(place));
function shuffled<T>(random: Random, items: readonly T[]): T[] {
  const left = [...items];
  return many(items.length, () => left.splice(below(random, left.length), 1)[0] as T);
}

/** A time in the window or a little beyond it; often one at which something changes. */
function moment(random: Random): number {
  const any = FROM - HOUR + below(random, TO - FROM + 2 * HOUR);
  const step = pick(random, 1, 1, 1, 1_000, MINUTE, 15 * MINUTE, HOUR);
  return Math.round(any / step) * step;
}

function historyOf(random: Random): History {
  const starts = many(50, (): Start => {
    const beganAt = moment(random);
    const after = (longest: number) => beganAt + below(random, longest);
    const end = pick(random, 'open', 'ended', 'ended', 'ended', 'failed', 'failed and ended', 'at once');
    const failedAt = end.startsWith('failed') ? after(HOUR) : null;
    const endedAfterFailure = (failedAt ?? 0) + pick(random, 0, 1, below(random, 2 * HOUR));
    return {
      profileId: pick(random, ...PROFILES),
      pod: random() < 0.5,
      beganAt,
      readyAt: random() < 0.8 ? after(20 * MINUTE) : null,
      failedAt,
      endedAt:
        end === 'ended'
          ? after(3 * HOUR)
          : end === 'at once'
            ? beganAt
            : end.endsWith('and ended')
              ? endedAfterFailure
              : null,
    };
  });
  const asks = PROFILES.flatMap((profileId) => {
    // Generations increase with the time; some have the same time.
    const moments = many(14, () => moment(random)).sort((a, b) => a - b);
    moments[5] = moments[4] as number;
    return moments.map((at, place): Ask => ({ profileId, generation: place + 1, replicas: below(random, 5), at }));
  });
  const usage = many(400, (): Request => {
    const reported = <T>(value: T): T | null => (random() < 0.8 ? value : null);
    const profileId = reported(pick(random, ...PROFILES));
    return buildRequest(moment(random), {
      logical_model: pick(random, ...Object.keys(ROUTES), 'unknown'),
      profile_id: profileId,
      meant_for_profile_id: reported(pick(random, ...PROFILES)),
      fallback_used: random() < 0.4,
      prompt_tokens: reported(below(random, 5_000)),
      completion_tokens: reported(below(random, 2_000)),
      queue_ms: reported(below(random, 30_000)),
      backend_ms: reported(
        pick(random, 0, below(random, 500), below(random, 20_000), below(random, 20_000), below(random, 2 * HOUR)),
      ),
      end_to_end_ms: reported(below(random, 60_000)),
    });
  });
  const artifacts = many(20, (place): Artifact => {
    const until = (since: number) => since + below(random, 2 * HOUR);
    const stays: Artifact['stays'] = [];
    let since = moment(random);
    for (let count = 1 + below(random, 3); count > 0; count--) {
      const last = count === 1 && random() < 0.4 ? null : until(since);
      stays.push([since, last]);
      if (last !== null) since = last + pick(random, 0, 0, below(random, HOUR));
    }
    return {
      id: `artifact-${place}`,
      profileId: pick(random, ...PROFILES),
      physicalBytes: random() < 0.8 ? below(random, 80_000_000_000) : null,
      logicalBytes: random() < 0.8 ? below(random, 90_000_000_000) : null,
      stays,
    };
  });
  const transfers = many(60, (): Transfer => ({
    profileId: random() < 0.9 ? pick(random, ...PROFILES) : null,
    at: moment(random),
    bytes: random() < 0.9 ? below(random, 40_000_000_000) : null,
  }));
  return { starts, asks, usage, artifacts, transfers };
}

/** The part of a span that lies in another one. */
const overlap = (since: number, until: number, from: number, to: number): number =>
  Math.max(Math.min(until, to) - Math.max(since, from), 0);

/** The length of a span that others cover, however they overlap. */
function covered(spans: readonly (readonly [number, number])[], from: number, to: number): number {
  let ms = 0;
  let upTo = from;
  for (const [since, until] of [...spans].sort((a, b) => a[0] - b[0])) {
    ms += overlap(Math.max(since, upTo), until, from, to);
    upTo = Math.max(upTo, until);
  }
  return ms;
}

interface Figures {
  activation_count: number;
  node_ms: number;
  active_ms: number;
  tokens: number;
  compute_usd: number;
  storage_usd: number;
  transfer_usd: number;
  fallback_usd: number;
}

/** The figures of a profile in a window, by plain arithmetic. */
function figuresOf(
  { starts, asks, usage, artifacts, transfers }: History,
  profileId: string,
  from: number,
  to: number,
): Figures {
  const rates = RATES[profileId] ?? { node: 0, storage: 0, transfer: 0 };
  const inWindow = (at: number) => at >= from && at < to;
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

  const own = starts.filter((start) => start.profileId === profileId);
  const ofProfile = asks.filter((ask) => ask.profileId === profileId);
  const wanted = ofProfile.flatMap((ask, place) => {
    const next = ofProfile[place + 1];
    return ask.replicas > 0 ? [{ ...ask, givenUpAt: next?.replicas === 0 ? next.at : Infinity }] : [];
  });
  const held = own.map(({ pod, beganAt, readyAt, failedAt, endedAt }) => {
    // What was ready later had not failed.
    const failed = failedAt !== null && (readyAt ?? 0) <= failedAt ? failedAt : Infinity;
    const gone = Math.min(endedAt ?? Infinity, failed);
    if (pod) return overlap(beganAt, gone, from, to);
    const changes = [-Infinity, ...wanted.map(({ at }) => at), Infinity];
    const replicas = [1, ...wanted.map((ask) => (beganAt < ask.givenUpAt ? ask.replicas : 1))];
    return sum(
      replicas.map(
        (count, place) =>
          count *
          overlap(Math.max(beganAt, changes[place] as number), Math.min(gone, changes[place + 1] as number), from, to),
      ),
    );
  });

  const served = usage.filter((request) => request.profile_id === profileId);
  const busy = served.flatMap(({ at, backend_ms, queue_ms, end_to_end_ms }): [number, number][] => {
    if (!backend_ms) return [];
    const ended = at + Math.max(end_to_end_ms ?? (queue_ms ?? 0) + backend_ms, backend_ms);
    return [[ended - backend_ms, ended]];
  });
  const instead = usage.filter((request) => {
    const meantFor = request.meant_for_profile_id ?? ROUTES[request.logical_model]?.[0];
    return request.fallback_used && inWindow(request.at) && meantFor === profileId && request.profile_id !== profileId;
  });
  const nodeMs = sum(held);
  return {
    activation_count: own.filter(({ beganAt }) => inWindow(beganAt)).length,
    node_ms: nodeMs,
    active_ms: covered(busy, from, to),
    tokens: sum(
      served
        .filter(({ at }) => inWindow(at))
        .map(({ prompt_tokens, completion_tokens }) => (prompt_tokens ?? 0) + (completion_tokens ?? 0)),
    ),
    compute_usd: (rates.node * nodeMs) / HOUR,
    storage_usd: sum(
      artifacts
        .filter((artifact) => artifact.profileId === profileId)
        .flatMap(({ physicalBytes, logicalBytes, stays }) =>
          stays.map(
            ([since, until]) =>
              (rates.storage *
                ((physicalBytes ?? logicalBytes ?? 0) / 1e9) *
                overlap(since, until ?? Infinity, from, to)) /
              HOUR,
          ),
        ),
    ),
    transfer_usd: sum(
      transfers
        .filter((transfer) => transfer.profileId === profileId && inWindow(transfer.at))
        .map(({ bytes }) => (rates.transfer * (bytes ?? 0)) / 1e9),
    ),
    fallback_usd: sum(
      instead.map((request) => ((RATES[request.profile_id ?? '']?.node ?? 0) * (request.backend_ms ?? 0)) / HOUR),
    ),
  };
}

describe('the costs of profiles, over any history', () => {
  let service: Service;
  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(() => service.close());

  /** An organisation with profiles, rates and routes, as every history has them. */
  async function organisation(): Promise<Organisation> {
    const org = await service.organisation();
    for (const id of PROFILES) await createProfile(org, { profile_id: id });
    for (const [id, { node, storage, transfer }] of Object.entries(RATES))
      await service.db.query(
        `insert into cost_rates (org_id, profile_id, node_hourly_usd, storage_gb_hour_usd, transfer_gb_usd, updated_at)
         values ($1, $2, $3, $4, $5, '2026-11-01')`,
        [org.id, id, node, storage, transfer],
      );
    for (const [model, targets] of Object.entries(ROUTES))
      expect((await saveRoute(org.operator, model, { targets: targetsOf(...targets) })).status).toBe(200);
    return org;
  }

  /** Writes a history in a random order. @param halfway runs in between */
  async function live(
    orgId: string,
    history: History,
    random: Random,
    halfway: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<void> {
    const { db } = service;
    const date = (at: number | null) => (at === null ? null : new Date(at));
    const writes: (() => Promise<unknown>)[] = [
      ...history.starts.map(
        (start) => () =>
          db.query(
            `insert into starts (org_id, id, profile_id, generation, began_at, beginning_seen, ready_at, failed_at, ended_at, pod_uid)
             values ($1, $2, $3, 0, $4, true, $5, $6, $7, $8)`,
            [
              ...[orgId, newId(), start.profileId, date(start.beganAt), date(start.readyAt), date(start.failedAt)],
              ...[date(start.endedAt), start.pod ? newId() : null],
            ],
          ),
      ),
      ...history.asks.map(
        (ask) => () =>
          db.query(
            `insert into capacity_asks (org_id, profile_id, generation, desired_state, desired_replicas, requested_at)
             values ($1, $2, $3, 'Active', $4, $5)`,
            [orgId, ask.profileId, ask.generation, ask.replicas, date(ask.at)],
          ),
      ),
      ...history.artifacts.map((artifact) => async () => {
        await db.query(
          `insert into artifacts (org_id, artifact_id, profile_id, compatibility_key, checkpoint_mode, storage_tier, uri, source, status,
             physical_bytes, logical_bytes, metadata) values ($1, $2, $3, 'key', 'criu', 'object', $2, 'tests', 'ready', $4, $5, '{}')`,
          [orgId, artifact.id, artifact.profileId, artifact.physicalBytes, artifact.logicalBytes],
        );
        await db.query('delete from artifact_stays where org_id = $1 and artifact_id = $2', [orgId, artifact.id]);
        for (const [place, [since, until]] of artifact.stays.entries())
          await db.query(
            `insert into artifact_stays (org_id, artifact_id, stay, tier, moved, since, until) values ($1, $2, $3, 'object', false, $4, $5)`,
            [orgId, artifact.id, place + 1, date(since), date(until)],
          );
      }),
      ...history.transfers.map(
        (transfer) => () =>
          db.query(
            `insert into observations (org_id, id, observation_key, event_type, evidence, source, started_at, profile_id, transferred_bytes)
             values ($1, $2, $3, 'moved', 'measured', 'tests', $4, $5, $6)`,
            [orgId, newId(), newId(), date(transfer.at), transfer.profileId, transfer.bytes],
          ),
      ),
    ];
    // Requests are reported in batches.
    const requests = shuffled(random, history.usage);
    while (requests.length > 0) {
      const batch = requests.splice(0, 1 + below(random, 60));
      writes.push(() => writeRequests(db, { id: orgId }, ...batch));
    }
    const half = Math.floor(writes.length / 2);
    for (const [place, write] of shuffled(random, writes).entries()) {
      if (place === half) await halfway();
      await write();
    }
  }

  const rowsOf = (org: Organisation, from: number, to: number): Promise<CostRow[]> =>
    costRows(service, org.id, windowOfAll(from, to));

  const usdOf = (text: string): bigint => {
    const [whole = '', decimals = ''] = text.split('.');
    expect(decimals).toHaveLength(DIGITS);
    return BigInt(whole + decimals);
  };

  describe.each(SEEDS)('of the seed %d', (seed) => {
    const random = seeded(seed);
    const history = historyOf(random);
    let org: Organisation;
    beforeAll(async () => {
      org = await organisation();
      await live(org.id, history, random, sumWorkers);
    });

    const sumWorkers = () => service.app.get(WorkerSums).run({ orgId: org.id });

    it.each([
      ['with changes that the sums of workers do not contain yet', () => Promise.resolve(false)],
      ['with all workers summed', sumWorkers],
    ])('equal plain sums over it, in any window, %s', async (_when, prepare) => {
      await prepare();
      const windows = [[FROM, TO], ...many(12, () => [moment(random), moment(random)].sort((a, b) => a - b))];
      for (const [from = 0, to = 0] of windows) {
        const reported = await rowsOf(org, from, to);
        expect(reported.map(({ profile_id: id }) => id)).toEqual(PROFILES);
        for (const row of reported) {
          const { compute_usd, storage_usd, transfer_usd, fallback_usd, ...counts } = figuresOf(
            history,
            row.profile_id,
            from,
            to,
          );
          const seen = { activation_count: row.activation_count, node_ms: row.node_ms, active_ms: row.active_ms };
          const where = { seed, from: new Date(from), to: new Date(to), profile: row.profile_id };
          expect({ ...where, ...seen, tokens: Number(row.tokens) }).toEqual({ ...where, ...counts });
          const amounts = { compute_usd, storage_usd, transfer_usd, fallback_usd };
          for (const [name, amount] of Object.entries(amounts))
            expect([where, name, Number(row[name])]).toEqual([where, name, expect.closeTo(amount, 9)]);
        }
      }
    });

    it('add up over consecutive windows, wherever they are cut', async () => {
      for (let times = 0; times < 4; times++) {
        const within = many(1 + below(random, 9), () => Math.min(Math.max(moment(random), FROM), TO));
        const cuts = [FROM, ...within.sort((a, b) => a - b), TO];
        const whole = await rowsOf(org, FROM, TO);
        const parts: CostRow[][] = [];
        for (const [place, from] of cuts.slice(0, -1).entries())
          parts.push(await rowsOf(org, from, cuts[place + 1] ?? TO));
        for (const [place, row] of whole.entries()) {
          const where = { seed, profile: row.profile_id, cuts: cuts.map((cut) => new Date(cut).toISOString()) };
          const pieces = parts.map((rows) => rows[place] as CostRow);
          const sum = (of: (piece: CostRow) => number) => pieces.reduce((total, piece) => total + of(piece), 0);
          const counted = (of: (part: (one: CostRow) => number) => number) => ({
            activations: of((one) => one.activation_count),
            nodeMs: of((one) => one.node_ms),
            activeMs: of((one) => one.active_ms),
            tokens: of((one) => Number(one.tokens)),
          });
          expect({ ...where, ...counted(sum) }).toEqual({ ...where, ...counted((part) => part(row)) });
          for (const name of ['compute_usd', 'storage_usd', 'transfer_usd', 'fallback_usd'] as const) {
            const off = pieces.reduce((left, piece) => left - usdOf(piece[name]), usdOf(row[name]));
            // Each is rounded to the last digit.
            expect([where, name, off <= cuts.length && off >= -cuts.length]).toEqual([where, name, true]);
          }
        }
      }
    });

    it('are independent of the order of reports', async () => {
      const other = await organisation();
      await live(other.id, history, random);
      for (const [from, to] of [
        [FROM, TO],
        [FROM + 7 * MINUTE + 123, TO - 93_211],
      ] as const)
        expect([seed, await rowsOf(other, from, to)]).toEqual([seed, await rowsOf(org, from, to)]);
    });

    it('count idle time only while nothing is in flight, and never more than was held', async () => {
      for (const row of await rowsOf(org, FROM, TO)) {
        expect(row.idle_ms).toBe(Math.max(row.node_ms - row.active_ms, 0));
        expect(row.starting_ms + row.warm_idle_ms + row.release_ms).toBe(row.idle_ms);
        for (const part of [row.starting_ms, row.warm_idle_ms, row.release_ms]) expect(part).toBeGreaterThanOrEqual(0);
      }
    });

    it('the costs of an experiment that every request names and that ran all the time equal those of everything', async () => {
      const own = await organisation();
      const experimentId = await experimentOf(service, own, { since: FROM - 2 * HOUR, until: TO + 2 * HOUR });
      const carried = history.usage.map((request) => ({ ...request, experiment_id: experimentId }));
      await live(own.id, { ...history, usage: carried, transfers: [] }, random);
      const everything = windowOfAll(FROM + 1_234, TO - 4_321);
      const read = (window: typeof everything) => costRows(service, own.id, window);
      const all = await read(everything);
      const carriedActive = figuresOf(history, 'dear', everything.from.getTime(), everything.to.getTime()).active_ms;
      expect(all.find(({ profile_id: id }) => id === 'dear')?.active_ms).toBe(carriedActive);
      expect([seed, await read({ ...everything, experimentId })]).toEqual([seed, all]);
    });
  });
});
