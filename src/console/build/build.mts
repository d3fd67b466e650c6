import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import { budgetOf } from './budget.mts';
import { replaceFolder } from './replace-folder.mts';
import { BUILT, hashOfSources, isBuiltFrom, stampOf } from './sources.mts';

/**
 * `npm run console:build` builds the console and shows its weight. With `--if-stale` it only does so if the
 * sources changed since the last build.
 */
const say = (line: string): void => void process.stdout.write(`${line}\n`);

/** Files that are sent as they are gain nothing. */
const COMPRESSED = /\.(js|css|svg)$/;

const toBrotli = promisify(brotliCompress);
const toGzip = promisify(gzip);

/** Writes `name.br` and `name.gz` beside each asset: the service compresses nothing. */
async function compress(directory: string): Promise<void> {
  const files = readdirSync(join(directory, 'assets')).filter((name) => COMPRESSED.test(name));
  await Promise.all(
    files.map(async (name) => {
      const file = join(directory, 'assets', name);
      const bytes = readFileSync(file);
      const params = {
        [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
        [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
      };
      const [brotli, gzipped] = await Promise.all([toBrotli(bytes, { params }), toGzip(bytes, { level: 9 })]);
      writeFileSync(`${file}.br`, brotli);
      writeFileSync(`${file}.gz`, gzipped);
    }),
  );
}

async function main(): Promise<void> {
  const isQuiet = process.argv.includes('--if-stale');
  const hash = hashOfSources();
  if (isQuiet && isBuiltFrom(hash)) return;
  const began = performance.now();
  if (isQuiet) say('Building the console, because it is missing or its sources changed …');
  // Else the caller's would decide, and that of a test would bundle React's development build.
  process.env.NODE_ENV = 'production';
  // Only here, because a build that is up to date needs no Vite.
  const { build } = await import('vite');
  const staged = `${BUILT}.${process.pid}`;
  try {
    const configFile = new URL('./vite.config.mts', import.meta.url).pathname;
    await build({ configFile, configLoader: 'native', build: { outDir: staged } });
    const { report, faults } = budgetOf(staged);
    if (!isQuiet) for (const line of report) say(line);
    if (faults.length > 0) throw new Error(`the console is too heavy:\n${faults.join('\n')}`);
    await compress(staged);
    const { name, text } = stampOf(hash);
    writeFileSync(join(staged, name), text);
    // Another build of the same sources may be quicker.
    replaceFolder(staged, BUILT, () => isBuiltFrom(hash));
  } finally {
    rmSync(staged, { recursive: true, force: true });
  }
  say(`Built the console in ${((performance.now() - began) / 1_000).toFixed(1)} s.`);
}

main().catch((error: unknown) => {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
});
