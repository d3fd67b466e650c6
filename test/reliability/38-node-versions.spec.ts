import { execFileSync } from 'node:child_process';
import { mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { newId } from '../../src/1-platform/common/ids';
import { CHAT, createKey, question, readyProfile } from '../support/chat';
import { printFigures, recordFigure } from '../support/figures';
import { InferenceWorker } from '../support/inference-worker';
import { expectSoundLedger } from '../support/ledger';
import { Replicas, TOKEN, tally } from '../support/replicas';
import { servicePid } from '../support/resident';
import { start } from '../support/start';
import { call, during, mixed } from '../support/steady-load';
import { setTimeout as sleep } from 'node:timers/promises';

const VERSIONS = ['22', '24'] as const;
/** The oldest one with which `npm start` works: npm then runs the service by the Node that it installed. */
const OF_NPM = '20';
const LOAD_MS = 10_000;
/** Of the launcher. */
const READS = 100;

const versionOf = (program: string): string => execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();

/** The packages `node` of npm have its programs. */
describe('the service on each supported version of Node', () => {
  let worker: InferenceWorker;
  let directory: string;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    directory = mkdtempSync(join(tmpdir(), 'node-versions-'));
  });
  afterAll(async () => {
    await worker.close();
    rmSync(directory, { recursive: true, force: true });
    printFigures();
  });

  /** @returns the program of a version, and its exact name */
  function installed(version: string): { program: string; exact: string } {
    const prefix = join(directory, version);
    const flags = ['--silent', '--ignore-scripts=false', '--no-audit', '--no-fund', `--prefix=${prefix}`];
    execFileSync('npm', ['install', ...flags, `node@${version}`], { cwd: directory });
    const program = join(prefix, 'node_modules/node/bin/node');
    const exact = versionOf(program);
    expect(exact.startsWith(`v${version}.`)).toBe(true);
    return { program, exact };
  }

  it(`is started by npm with Node ${OF_NPM}, and then runs on the Node that npm installed`, async () => {
    const { program, exact } = installed(OF_NPM);
    const replicas = await Replicas.start(0);
    const launched = start({
      DATABASE_URL: replicas.databaseUrl,
      BOOTSTRAP_TOKEN: TOKEN,
      LOG_LEVEL: 'fatal',
      PATH: `${dirname(program)}:${process.env.PATH}`,
    });
    try {
      const replica = { process: launched, url: await launched.address() };
      const runsOn = (pid: number | string): string => versionOf(readlinkSync(`/proc/${pid}/exe`));
      expect(runsOn(launched.process.pid ?? 0)).toBe(exact);
      const own = runsOn(servicePid(launched));
      const statuses = new Set<number>();
      for (let n = 0; n < READS; n++) statuses.add((await call(replica, '/v1/cluster')).status);
      const figure = { row: 38, attack: `npm start by Node ${OF_NPM} (${exact}), ${READS} requests`, unit: '' };
      const other = [...statuses].filter((status) => status !== 200).length;
      recordFigure({ ...figure, measure: 'kinds of replies other than 200', value: other, bound: { atMost: 0 } });
      const major = Number(/\d+/.exec(own)?.[0]);
      recordFigure({ ...figure, measure: 'Node that runs the service', value: major, bound: { atLeast: 24 } });
    } finally {
      launched.kill();
      await launched.exit;
      await replicas.close();
    }
  }, 300_000);

  it.each(VERSIONS)(
    'starts, serves, streams and stops: %s',
    async (version) => {
      const { program, exact } = installed(version);
      const variables = { WORKER_ENDPOINT_ALLOW: `llama-8b.models.svc,${worker.host}`, LOG_LEVEL: 'fatal' };
      const replicas = await Replicas.start(0, variables);
      try {
        const replica = await replicas.add({}, { node: program });
        const org = replicas.organisation(replica);
        const model = await replicas.routeTo([await readyProfile(org, worker)]);
        const { raw_key: key } = await createKey(org, { budget_usd: 1_000 });
        const replies = await during(
          () => sleep(LOAD_MS),
          [
            ...mixed(replica),
            () => call(replica, CHAT, question(model, { stream: true }), key),
            () => call(replica, '/v1/inference/router/authorize', { request_id: newId(), logical_model: model }, key),
          ],
          60,
        );
        process.kill(replica.process.process.pid ?? 0, 'SIGTERM');
        expect(await replica.process.exit).toBe(0);
        await expectSoundLedger(replicas.db);
        const attack = `Node ${version} (${exact}), six kinds of requests for ${LOAD_MS / 1_000} s`;
        const other = replies.flat().filter(({ status }) => status !== 200).length;
        const kinds = Object.keys(tally(replies.flat()));
        recordFigure({
          row: 38,
          attack,
          measure: 'replies other than 200',
          value: other,
          unit: '',
          bound: { atMost: 0 },
        });
        recordFigure({
          row: 38,
          attack,
          measure: 'requests',
          value: replies.flat().length,
          unit: '',
          bound: { atLeast: 400 },
        });
        expect(kinds).toEqual(['200']);
      } finally {
        await replicas.close();
      }
    },
    300_000,
  );
});
