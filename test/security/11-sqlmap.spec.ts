import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { newId } from '../../src/1-platform/common/ids';
import { describeWith } from '../support/components';
import { printFigures, recordFigure } from '../support/figures';
import { Replicas, TOKEN } from '../support/replicas';

const run = promisify(execFile);
/** A target that takes longer ends unfinished, which fails the test. */
const TARGET_MS = 240_000;

/** `*` marks what sqlmap replaces. */
const TARGETS: readonly { readonly what: string; readonly path: string; readonly args: readonly string[] }[] = [
  { what: 'a filter by name', path: '/v1/pods?namespace=default*&limit=5', args: [] },
  { what: 'a search', path: '/v1/pods?search=a*', args: [] },
  { what: 'a list of ids', path: '/v1/checkpoints?ids=00000000-0000-4000-8000-000000000000*', args: [] },
  { what: 'an id in the path', path: '/v1/actions/00000000-0000-4000-8000-000000000000*', args: [] },
  { what: 'a time', path: '/v1/audit?since=2026-01-01T00:00:00Z*', args: [] },
  {
    what: 'a name in a body',
    path: '/v1/cluster',
    args: ['--method=POST', '--data={"cluster_name":"a*"}', '--headers=Content-Type: application/json'],
  },
  { what: 'the bearer', path: '/v1/user', args: [] },
];

describeWith(['sqlmap'], 'sqlmap', () => {
  let replicas: Replicas;
  let directory: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'sqlmap-'));
    replicas = await Replicas.start(1, { LOG_LEVEL: 'fatal' });
  });
  afterAll(async () => {
    await replicas.close();
    rmSync(directory, { recursive: true });
    printFigures();
  });

  it.each(TARGETS)(
    'finds nothing to inject into $what',
    async ({ what, path, args }) => {
      const bearer = what === 'the bearer' ? 'ccp_x*' : TOKEN;
      const all = [
        `--url=${replicas.of(0).url}${path}`,
        ...['--batch', '--level=3', '--risk=2', '--dbms=PostgreSQL', '--time-sec=2', '--threads=4', '--flush-session'],
        ...['--ignore-code=400,401,404,422', '--disable-coloring', '--keep-alive', '--answers=follow=N'],
        `--output-dir=${join(directory, newId())}`,
        `--header=Authorization: Bearer ${bearer}`,
        ...args,
      ];
      const { stdout } = await run('sqlmap', all, { timeout: TARGET_MS, maxBuffer: 2 ** 26 });
      expect(stdout).toContain('do not appear to be injectable');
      // What it only suspects ("appears to be injectable"), it tries, and withdraws if the reply refutes it.
      const found = (stdout.match(/identified the following injection point|is vulnerable/g) ?? []).length;
      recordFigure({
        row: 11,
        attack: `sqlmap, level 3, on ${what}`,
        measure: 'findings',
        value: found,
        unit: '',
        bound: { atMost: 0 },
      });
    },
    TARGET_MS + 10_000,
  );
});
