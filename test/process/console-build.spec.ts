import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from '../support/plugins';

const MODULE = join(__dirname, '../../src/console/build/replace-folder.mts');
const PROCESSES = 5;
const ROUNDS = 60;
const FILES = 30;

/** One of many processes that build the same: whole folders have all files, and `stamp` last. */
const BUILDER = `
  const { existsSync, mkdirSync, rmSync, writeFileSync } = await import('node:fs');
  const { join } = await import('node:path');
  const { replaceFolder } = await import(process.env.MODULE);
  const place = process.env.PLACE;
  for (let round = 0; round < ${ROUNDS}; round++) {
    const staged = place + '.' + process.pid;
    mkdirSync(staged);
    for (let file = 0; file < ${FILES}; file++) writeFileSync(join(staged, 'asset-' + file), '');
    writeFileSync(join(staged, 'stamp'), '');
    replaceFolder(staged, place, () => existsSync(join(place, 'stamp')));
    rmSync(staged, { recursive: true, force: true });
  }`;

describe('builds of the console that run at the same time', () => {
  const directory = temporaryDirectory();

  it('all succeed, and leave one whole folder', async () => {
    const place = join(directory, 'built');
    mkdirSync(place);
    const env = { ...process.env, MODULE, PLACE: place };
    const builders = Array.from({ length: PROCESSES }, () =>
      spawn(process.execPath, ['--input-type=module', '--eval', BUILDER], {
        env,
        stdio: ['ignore', 'ignore', 'inherit'],
      }),
    );
    const ends = await Promise.all(builders.map((builder) => once(builder, 'exit')));
    expect(ends.map(([code]) => code as number)).toEqual(builders.map(() => 0));
    expect(readdirSync(directory)).toEqual(['built']);
    expect(readdirSync(place)).toHaveLength(FILES + 1);
    expect(existsSync(join(place, 'stamp'))).toBe(true);
  });
});
