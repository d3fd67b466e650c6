import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const PROJECT = fileURLToPath(new URL('../../..', import.meta.url));
/** Beside `dist`, which every build of the service empties. */
export const BUILT = join(PROJECT, 'dist-console');
/** In the folder of the built console: the hash of the sources that it was built from. */
const STAMP = 'sources.sha256';

/** Everything that the result depends on: the sources, and the versions of packages. */
const SOURCES = ['src/console/app/**/*.{ts,tsx,css,html,svg}', 'src/console/build/*.mts', 'package-lock.json'];

export function hashOfSources(): string {
  const hash = createHash('sha256');
  for (const file of globSync(SOURCES, { cwd: PROJECT }).sort()) {
    if (file.endsWith('.spec.ts') || file.endsWith('.d.ts')) continue;
    hash.update(`${file}\n`).update(readFileSync(join(PROJECT, file)));
  }
  return hash.digest('hex');
}

/** The name and the content of the file that says which sources a build has. */
export const stampOf = (hash: string): { name: string; text: string } => ({ name: STAMP, text: `${hash}\n` });

export function isBuiltFrom(hash: string): boolean {
  const file = join(BUILT, STAMP);
  return existsSync(file) && readFileSync(file, 'utf8') === stampOf(hash).text;
}
