import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeOutcomes, takeRecorded } from '../../support/figures';
import { writeFigures } from './page';

/** Writes the figures that tests have recorded into docs/reliability.md, and which specs have failed. */
const project = join(__dirname, '../../..');
const page = join(project, 'docs/reliability.md');

writeFileSync(page, writeFigures(readFileSync(page, 'utf8'), takeRecorded(), takeOutcomes()));
execFileSync('npx', ['oxfmt', '--disable-nested-config', page], { cwd: project });
