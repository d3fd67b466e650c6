import type { BenchCase, Bound, Side } from './bench';
import {
  BEGINNING,
  EXPERIMENT,
  inferenceRows,
  intents,
  KINDS,
  NODES,
  OLD,
  OLD_EXPERIMENT,
  OLD_ROWS,
  profile,
  profiles,
} from './rows';
import type { Workbench } from './workbench';

/**
 * Rows of each kind. There are a ninth as many starts, and a hundredth as many profiles with capacity
 * requests.
 */
const SIZES = [10_000, 100_000, 1_000_000];
const INTENTS_SHARE = 100;
/** The slowest but one of a round. */
export const REQUESTS = 20;
/** The limit for cases without a bound, which may take seconds. */
const REQUESTS_WITHOUT_BOUND = 5;
/** In rounds that are not measured. */
const REQUESTS_TO_WARM_UP = 5;
const QUANTILE = 0.95;
const MOST = 2;

export interface Asked {
  name: string;
  /** The path, below `/v1`. */
  path: string;
  /** Rows of a reply, whatever the size. */
  rows?: number;
  /** Whether a reply contains the filled rows. */
  holds?: (body: unknown, size: number) => boolean;
  /**
   * It sums up more with more rows. It is not compared with itself, but has an absolute bound in
   * milliseconds.
   */
  atMostMs?: number;
  /** It reads more with more rows, or nothing was promised: it is measured, without a bound. */
  grows?: boolean;
}

/**
 * For each list, whole pages by one filter: by a value that grows with the table, and by one that only the
 * oldest rows have.
 */
const FILTERS: Record<string, Record<string, string>> = {
  artifacts: {
    all: '',
    'one profile': 'profile_id=growth-1',
    'old profile': `profile_id=growth-${OLD}`,
    'one status': 'status=ready',
    'old status': 'status=quarantined',
    'one mode': 'mode=full',
    'old mode': `mode=${OLD}`,
  },
  'lifecycle-events': { all: '', since: `since=${new Date(Date.parse(BEGINNING) + 90_000_000).toISOString()}` },
  observations: {
    all: '',
    'one profile': 'profile_id=growth-1',
    'old profile': `profile_id=growth-${OLD}`,
    'one experiment': `experiment_id=${EXPERIMENT}`,
    'old experiment': `experiment_id=${OLD_EXPERIMENT}`,
    'one type': 'event_type=restore',
    'old type': `event_type=${OLD}`,
  },
  'capacity-intents': { all: '' },
};

const LISTS: Asked[] = [
  { name: 'one profile (control)', path: `inference/profiles/growth-${OLD}` },
  ...Object.entries(FILTERS).flatMap(([list, filters]) =>
    Object.entries(filters).map(([name, filter]) => ({
      name: `${list}, ${name}`,
      path: `inference/${list}?limit=${OLD_ROWS}&${filter}`,
      rows: OLD_ROWS,
    })),
  ),
  {
    name: 'artifacts, none of two',
    path: 'inference/artifacts?limit=100&profile_id=growth-1&status=quarantined',
    rows: 0,
  },
  { name: 'progress, few starts', path: `inference/profiles/growth-${OLD}/progress` },
  { name: 'progress, many starts', path: 'inference/profiles/growth-1/progress' },
];

/** Lists and aggregates of the serving domains. */
export const growth = growthCase({
  name: 'growth',
  what: `P10: p${QUANTILE * 100} of ${REQUESTS} requests at ${SIZES.join(', ')} rows of their own kind in one organisation`,
  sizes: SIZES,
  asked: LISTS,
  fill,
});

/** A database with rows, and what is asked of it. */
interface Ground {
  readonly size: number;
  /** Of its lines. */
  readonly label: string;
  readonly asked: readonly Asked[];
  readonly fill: (bench: Workbench, size: number) => Promise<void>;
}

interface GrowthCase extends Pick<Ground, 'asked' | 'fill'> {
  readonly name: string;
  readonly what: string;
  readonly sizes: readonly number[];
  /** Others, which are filled meanwhile. */
  readonly beside?: readonly Ground[];
}

/** A database and a service of every size, side by side: other work on the machine affects all of them. */
export function growthCase({ name, what, sizes, asked, fill, beside = [] }: GrowthCase): BenchCase {
  const grounds = [...sizes.map((size): Ground => ({ size, label: String(size), asked, fill })), ...beside];
  const [least, most] = [sizes[0], sizes.at(-1)];
  return {
    name,
    what,
    async prepare(bench) {
      const benches = new Map<Ground, Workbench>();
      const close = async () => void (await Promise.all([...benches.values()].map((one) => one.close())));
      const notes: string[] = [];
      try {
        for (const ground of grounds) benches.set(ground, await bench.another());
        // At once: some wait for a sweep of their service.
        await Promise.all([...benches].map(async ([ground, of]) => void notes.push(await filled(ground, of))));
      } catch (error) {
        await close();
        throw error;
      }
      const sideOf = (one: Asked, ground: Ground): Side => ({
        name: `${one.name} @ ${ground.label}`,
        run: (_round, isMeasured) => slowest(benches.get(ground)!, one, ground.size, isMeasured),
      });
      return {
        sides: [
          ...asked.flatMap((one) => grounds.slice(0, sizes.length).map((ground) => sideOf(one, ground))),
          ...beside.flatMap((ground) => ground.asked.map((one) => sideOf(one, ground))),
        ],
        bounds: [
          ...boundsOf(asked, String(most), String(least)),
          ...beside.flatMap((ground) => boundsOf(ground.asked, ground.label, ground.label)),
        ],
        notes: () => notes,
        close,
      };
    },
  };
}

const boundsOf = (asked: readonly Asked[], most: string, least: string): Bound[] =>
  asked
    .filter(({ grows = false }) => !grows)
    .map(({ name, atMostMs }) =>
      atMostMs === undefined
        ? { of: `${name} @ ${most}`, against: `${name} @ ${least}`, atMost: MOST }
        : { of: `${name} @ ${most}`, atMost: atMostMs },
    );

async function filled({ size, label, fill: write }: Ground, bench: Workbench): Promise<string> {
  const begun = performance.now();
  await write(bench, size);
  return `${label}: filled in ${((performance.now() - begun) / 1_000).toFixed(1)} s`;
}

/** Writes all data of an organisation as if some time had passed: no statement has to clean up dead rows. */
export async function fill(bench: Workbench, size: number): Promise<void> {
  const orgId = await bench.orgId();
  const clusterId = await bench.cluster('growth', 'kubernetes');
  const resources = Array.from({ length: NODES }, (_, place) => ({
    type: 'Node',
    kind: 'Node',
    metadata: { name: `node-${place}` },
  }));
  await bench.post('/v1/cluster/sync/batch', JSON.stringify({ cluster_id: clusterId, resources }));
  const asked: [string, string, number, number] = [orgId, 'asked-', 1, size / INTENTS_SHARE];
  await bench.fill(
    profiles(orgId, 'growth-', 0, KINDS - 1),
    profile(orgId, `growth-${OLD}`),
    ...inferenceRows(orgId, clusterId, 1, size),
    profiles(...asked),
    intents(...asked),
    { text: 'vacuum analyze profiles, artifacts, starts, lifecycle_events, observations, capacity_intents' },
    { text: 'checkpoint' },
  );
}

async function slowest(
  bench: Workbench,
  { name, path, rows, holds, grows = false }: Asked,
  size: number,
  isMeasured: boolean,
): Promise<number> {
  const taken: number[] = [];
  const requests = !isMeasured ? REQUESTS_TO_WARM_UP : grows ? REQUESTS_WITHOUT_BOUND : REQUESTS;
  for (let request = 0; request < requests; request++) {
    const { body, milliseconds } = await bench.get(`/v1/${path}`);
    if (rows !== undefined && (body as unknown[]).length !== rows)
      throw new Error(`${name} answered ${(body as unknown[]).length} rows`);
    if (holds?.(body, size) === false) throw new Error(`${name} answered ${JSON.stringify(body).slice(0, 500)}`);
    taken.push(milliseconds);
  }
  taken.sort((a, b) => a - b);
  return taken[Math.ceil(requests * QUANTILE) - 1] ?? NaN;
}
