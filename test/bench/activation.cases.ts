import type { Bound, BenchCase, Side } from './bench';
import { load, Loaded, wireRequest } from './loader';
import { profiles } from './rows';
import { TOKEN, type Workbench } from './workbench';

const CONNECTIONS = 32;
/**
 * The profiles of a side. Each connection has its own, so that the reports on a profile are sent one after
 * the other.
 */
const PROFILES = 320;
const REPEATED = 25;
const CYCLES = 2;
const SERVICE_PATH = '/v1/inference/activations/report';

/** The life of a worker, as its controller reports it. */
const LIFE = ['Pending', 'Scheduling', 'Pulling', 'Restoring', 'Loading', 'Warming', 'Ready', 'Draining', 'Suspended'];
const READY = LIFE.indexOf('Ready');

interface Target {
  name: string;
  url: string;
  /** For repeated reports, and for reports that change something. */
  paths: { same: string; moved: string };
}

const report = (profile: string, phase: string) =>
  JSON.stringify({
    profile_id: profile,
    desired_state: phase === 'Draining' || phase === 'Suspended' ? 'Suspended' : 'Active',
    phase,
    ready: phase === 'Ready',
    endpoint: 'http://10.0.3.7:8000',
    observed_generation: 3,
  });

/** @param phases reported for each profile, in order */
const lanes = (path: string, prefix: string, phases: readonly string[]): Buffer[][] =>
  Array.from({ length: CONNECTIONS }, (_, lane) =>
    phases.flatMap((phase) =>
      Array.from({ length: PROFILES / CONNECTIONS }, (_profile, place) =>
        wireRequest(path, TOKEN, report(`${prefix}${lane + 1 + place * CONNECTIONS}`, phase)),
      ),
    ),
  );

const repeated = (phases: readonly string[], times: number) => Array.from({ length: times }, () => phases).flat();

/**
 * What must be true for the profiles of a side: a statement that counts them by organisation, prefix and
 * further values.
 */
async function expectRows(bench: Workbench, text: string, values: unknown[], expected: number): Promise<void> {
  const { rows } = await bench.db.query<{ rows: number }>(`select count(*)::int as rows from ${text}`, values);
  if (rows[0]?.rows !== expected) throw new Error(`${rows[0]?.rows} instead of ${expected} rows of ${text}`);
}

/** Repeated reports, as the heartbeat of a controller sends them. */
function sameSide(bench: Workbench, orgId: string, { name, url, paths }: Target): { side: Side; loaded: Loaded } {
  const prefix = `${name}-same-`;
  const requests = lanes(paths.same, prefix, repeated(['Ready'], REPEATED));
  const loaded = new Loaded(`${name} repeated`);
  const run = async (round: number): Promise<number> => {
    // The stored state is from the first report to the service, whichever side is measured then.
    if (round === 0) {
      await bench.fill(profiles(orgId, prefix, 1, PROFILES));
      await load(bench.url, lanes(SERVICE_PATH, prefix, ['Ready']));
    }
    const { rows } = await bench.db.query<{ now: Date }>('select clock_timestamp() as now');
    const { milliseconds } = await loaded.send(round, url, requests);
    const found = `activations where org_id = $1 and starts_with(profile_id, $2)`;
    await expectRows(bench, `${found} and version = 1 and phase = 'Ready'`, [orgId, prefix], PROFILES);
    await expectRows(bench, `${found} and updated_at >= $3`, [orgId, prefix, rows[0]?.now], PROFILES);
    return milliseconds;
  };
  return { side: { name: `${name} repeated`, isReference: name !== 'service', run }, loaded };
}

/** Reports that each change something. */
function movedSide(bench: Workbench, orgId: string, { name, url, paths }: Target): { side: Side; loaded: Loaded } {
  const prefix = `${name}-moved-`;
  const requests = lanes(paths.moved, prefix, repeated(LIFE, CYCLES));
  const loaded = new Loaded(`${name} moving`);
  const run = async (round: number): Promise<number> => {
    if (round === 0) await bench.fill(profiles(orgId, prefix, 1, PROFILES));
    const { milliseconds } = await loaded.send(round, url, requests);
    const cycles = CYCLES * (round + 1);
    const [moves, starts] = [cycles * LIFE.length, cycles * PROFILES];
    const of = `where org_id = $1 and starts_with(profile_id, $2)`;
    const suspended = `${of} and phase = 'Suspended' and start_id is null and version = $3`;
    await expectRows(bench, `activations ${suspended}`, [orgId, prefix, moves], PROFILES);
    await expectRows(bench, `starts ${of} and ready_at between began_at and ended_at`, [orgId, prefix], starts);
    await expectRows(bench, `activation_phases ${of}`, [orgId, prefix], moves * PROFILES);
    await expectRows(bench, `activation_phases ${of} and ready and phase = $3`, [orgId, prefix, LIFE[READY]], starts);
    const audited = "audit_entries where org_id = $1 and action = 'report_activation' and starts_with(resource_id, $2)";
    await expectRows(bench, audited, [orgId, prefix], moves * PROFILES);
    return milliseconds;
  };
  return { side: { name: `${name} moving`, isReference: name !== 'service', run }, loaded };
}

/** The minimal share of the floor's requests per second. */
const SHARE = 0.7;
const bound = (mix: string): Bound => ({
  of: `service ${mix}`,
  against: `floor ${mix}`,
  atMost: Math.round(100 / SHARE) / 100,
});

export const activationReport: BenchCase = {
  name: 'activation-report',
  what:
    `P1: POST ${SERVICE_PATH}, ${CONNECTIONS} connections: ${PROFILES * REPEATED} reports of what is known, ` +
    `${PROFILES * CYCLES * LIFE.length} that move a profile on. The floor sends one statement for each report: it compares all ` +
    'columns of a repeated one, and makes the same writes for one that moves a profile on. The service writes up to 128 ' +
    'reports that wait with one statement, and notes repeated ones by the version of their row',
  async prepare(bench) {
    const floor = await bench.beside('floor-server.ts');
    const orgId = await bench.orgId();
    const targets: Target[] = [
      { name: 'service', url: bench.url, paths: { same: SERVICE_PATH, moved: SERVICE_PATH } },
      { name: 'floor', url: floor.url, paths: { same: '/same', moved: '/moved' } },
    ];
    const same = targets.map((target) => sameSide(bench, orgId, target));
    const moved = targets.map((target) => movedSide(bench, orgId, target));
    const all = [...same, ...moved];
    return {
      sides: all.map(({ side }) => side),
      bounds: [bound('repeated'), bound('moving')],
      notes: () => all.map(({ loaded }) => loaded.toString()),
      close: () => floor.stop(),
    };
  },
};
