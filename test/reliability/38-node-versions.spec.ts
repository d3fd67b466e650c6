import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { newId } from '../../src/1-platform/common/ids';
import { CHAT, createKey, question, readyProfile } from '../support/chat';
import { printFigures, recordFigure } from '../support/figures';
import { InferenceWorker } from '../support/inference-worker';
import { expectSoundLedger } from '../support/ledger';
import { Replicas, tally } from '../support/replicas';
import { call, during, mixed } from '../support/steady-load';
import { setTimeout as sleep } from 'node:timers/promises';

const VERSIONS = ['22', '24'] as const;
const LOAD_MS = 10_000;

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

  it.each(VERSIONS)(
    'starts, serves, streams and stops: %s',
    async (version) => {
      const prefix = join(directory, version);
      execFileSync(
        'npm',
        [
          'install',
          '--silent',
          '--ignore-scripts=false',
          '--no-audit',
          '--no-fund',
          `--prefix=${prefix}`,
          `node@${version}`,
        ],
        {
          cwd: directory,
        },
      );
      const program = join(prefix, 'node_modules/node/bin/node');
      const exact = execFileSync(program, ['--version'], { encoding: 'utf8' }).trim();
      expect(exact.startsWith(`v${version}.`)).toBe(true);
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
        expect(Object.keys(tally(replies.flat()))).toEqual(['200']);
        process.kill(replica.process.process.pid ?? 0, 'SIGTERM');
        expect(await replica.process.exit).toBe(0);
        await expectSoundLedger(replicas.db);
        const attack = `Node ${version} (${exact}), six kinds of requests for ${LOAD_MS / 1_000} s`;
        const other = replies.flat().filter(({ status }) => status !== 200).length;
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
      } finally {
        await replicas.close();
      }
    },
    300_000,
  );
});
