const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, resolve } = require('node:path');
const { transformSync, version } = require('@swc/core');

const ROOT = resolve(__dirname, '../..');

/**
 * What every test file of a worker shares, because Node loads it and not jest: packages, the service
 * and these files of the tests. Jest gives each test file copies of its own, which are loaded,
 * compiled and run slowly at first every time. Such modules keep their state from file to file, and
 * know nothing of jest: neither `expect` nor its mocks.
 */
const SHARED = ['src/', 'test/support/description'].map((path) => `${ROOT}/${path}`);

const { exclude: _exclude, ...options } = JSON.parse(readFileSync(`${ROOT}/.swcrc`, 'utf8'));
const CACHE = `${ROOT}/node_modules/.cache/shared-modules`;
mkdirSync(CACHE, { recursive: true });

/** By path, the file with its source map: jest shows stacks with the lines of the source. */
const sourceMaps = new Map();

require.extensions['.ts'] = (module, filename) => {
  const source = readFileSync(filename, 'utf8');
  const key = createHash('sha1')
    .update(JSON.stringify([version, options, filename, source]))
    .digest('hex');
  const [compiled, map] = [`${CACHE}/${key}.js`, `${CACHE}/${key}.map`];
  if (!existsSync(compiled)) {
    const output = transformSync(source, { ...options, filename, swcrc: false, sourceMaps: true });
    write(map, output.map);
    write(compiled, output.code);
  }
  sourceMaps.set(filename, map);
  module._compile(readFileSync(compiled, 'utf8'), filename);
};

/** Whole, or not at all: other workers read it. */
function write(file, text) {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, text);
  renameSync(mine, file);
}

/** @returns what Node loads for an import in a test file; undefined where jest loads it */
function sharedTarget(from, name) {
  if (name.startsWith('.')) {
    const path = resolve(dirname(from), name);
    return SHARED.some((shared) => path.startsWith(shared)) ? path : undefined;
  }
  return name.startsWith('/') || name === '@jest/globals' || Module.isBuiltin(name) ? undefined : name;
}

const loadShared = (from, target) => Module.createRequire(from)(target);

module.exports = { sharedTarget, loadShared, sourceMaps };
