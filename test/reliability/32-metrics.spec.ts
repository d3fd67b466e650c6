import { spawnSync } from 'node:child_process';
import { newId } from '../../src/1-platform/common/ids';
import { buildPod } from '../support/builders';
import { describeWith } from '../support/components';
import { printFigures, recordFigure, type Figure } from '../support/figures';
import { SEED } from '../support/form';
import { cluster, syncObjects } from '../support/inventory';
import { inParallel, seeded } from '../support/random';
import { Replicas } from '../support/replicas';
import { call } from '../support/steady-load';
import { ok, reportRestore } from '../support/workloads';

const PODS = 10_000;
const BATCH = 500;
const SCRAPES = 20;
const MAX_SERIES = 20_000;
const RUN_MS = 15 * 60_000;

/** Texts that would break an exposition which does not escape them, or that are numbers in it. */
const HOSTILE = [
  'a "quoted" name',
  'ends with a \\',
  'two\nlines',
  '\n# TYPE up gauge\nup 1',
  '"} 1\nup{a="',
  'NaN',
  '+Inf',
  '-Inf',
  '# HELP',
  '{le="+Inf"}',
  '\r\n',
  '\u2028\u{1f600}é',
  ' ',
];
/** JSON has no NaN; these are what a double has none for. */
const NUMBERS = ['1e999999', '-1e999999', '1e308', '-1', '0', '9223372036854775807', '1e-400', '7'];

/** Each pod is restored once, with hostile stages, reasons and numbers. */
function restoreOf(podUid: string, random: () => number): string {
  const pick = <T>(values: readonly T[]): T => values[Math.floor(random() * values.length)] as T;
  // Hostile in every place, and many different ones.
  const text = (): string => `${pick(HOSTILE)}${random() < 0.5 ? '' : newId()}`;
  const component = () => `{"name":${JSON.stringify(text())},"duration":${pick(NUMBERS)},"io":${pick(NUMBERS)}}`;
  const metadata = JSON.stringify({ pod_uid: podUid, failure_stage: text(), storage_tier: text(), node: text() });
  return (
    `{"restore_uuid":"${newId()}","started_at":"2026-06-01T10:00:00Z","completed_at":"2026-06-01T10:00:01Z",` +
    `"error_message":${JSON.stringify(text())},"metadata":${metadata},` +
    `"runtime_metadata":{"components":[${component()},${component()}]}}`
  );
}

describeWith(['promtool'], `the metrics of ${PODS} pods`, () => {
  let replicas: Replicas;

  beforeAll(async () => {
    replicas = await Replicas.start(1, { LOG_LEVEL: 'fatal' });
  });
  afterAll(async () => {
    await replicas.close();
    printFigures();
  });

  /** What promtool finds, also of bad style; three names of the process are prom-client's. */
  function unreadable(exposition: string): string[] {
    const { stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], {
      input: exposition,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    });
    const found = `${stdout}${stderr}`.split('\n').filter((line) => line !== '');
    const own = found.filter((line) => !/^nodejs_active_(handles|requests|resources)_total non-counter/.test(line));
    return status === 0 || own.length < found.length ? own : [`status ${status}`, ...own];
  }
  const seriesOf = (exposition: string): string[] =>
    exposition.split('\n').filter((line) => line !== '' && !line.startsWith('#'));

  it(
    'can be read whatever nodes report, are few, and are scraped at once',
    async () => {
      const replica = replicas.of(0);
      const org = replicas.organisation();
      const clusterId = await cluster(org, 'metrics');
      const pods = Array.from({ length: PODS }, (_, n) => buildPod(`pod-${n}`));
      for (let from = 0; from < PODS; from += BATCH)
        await syncObjects(org.controller, clusterId, ...pods.slice(from, from + BATCH));
      const random = seeded(SEED);
      const events = ['restore_start', 'restore_success', 'restore_error'] as const;
      await inParallel(pods, 8, async ({ metadata }, n) => {
        const body = restoreOf(String(metadata.uid), random);
        ok(await reportRestore(org, events[n % 3] ?? 'restore_error', body as never));
      });
      const { rows } = await replicas.db.query<{ n: number }>('select count(*)::int as n from restores');
      expect(rows[0]?.n).toBe(PODS);

      const attack = `${PODS} pods, each restored with hostile names and numbers, seed ${SEED}`;
      const record = (measure: string, value: number, bound: Figure['bound'], unit = ''): void =>
        recordFigure({ row: 32, attack, measure, value, unit, bound });
      for (const path of ['/v1/metrics/export', '/metrics']) {
        const waits: number[] = [];
        let text = '';
        for (let scrape = 0; scrape < SCRAPES; scrape++) {
          const reply = await call(replica, path, undefined, org.viewer.token);
          expect(reply.status).toBe(200);
          waits.push(reply.answeredAt - reply.askedAt);
          text = reply.text;
        }
        const faults = unreadable(text);
        record(`${path}: faults that promtool finds`, faults.length, { atMost: 0 });
        record(`${path}: series`, seriesOf(text).length, { atMost: MAX_SERIES });
        record(`${path}: slowest of ${SCRAPES} scrapes`, Math.max(...waits), { atMost: 500 }, 'ms');
        expect(faults).toEqual([]);
        // A name that is not escaped would be a metric of its own.
        expect(seriesOf(text).filter((line) => line.startsWith('up'))).toEqual([]);
        expect(text).not.toContain(String(pods[0]?.metadata.uid));
      }
    },
    RUN_MS,
  );
});
