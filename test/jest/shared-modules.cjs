const { createHash } = require('node:crypto');
const { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } = require('node:fs');
const Module = require('node:module');
const { dirname, resolve } = require('node:path');
const { transformSync, version } = require('@swc/core');

const ROOT = resolve(__dirname, '../..');

/**
 * Modules that all test files of a worker share, because Node loads them instead of jest: packages, the
 * service and the support files. Jest would load and compile a copy for each test file, which is slow. Shared
 * modules keep their state between test files, and cannot use `expect` or jest's mocks.
 */
const SHARED = ['src/', 'test/support/description'].map((path) => `${ROOT}/${path}`);

const { exclude: _exclude, ...options } = JSON.parse(readFileSync(`${ROOT}/.swcrc`, 'utf8'));
const CACHE = `${ROOT}/node_modules/.cache/shared-modules`;
mkdirSync(CACHE, { recursive: true });

/** By path, the file with its source map, so that stacks show the lines of the source. */
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

/** Written atomically, because other workers read it. */
function write(file, text) {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, text);
  renameSync(mine, file);
}

/** @returns the module that Node loads for an import of a test file; undefined if jest loads it */
function sharedTarget(from, name) {
  if (name.startsWith('.')) {
    const path = resolve(dirname(from), name);
    return SHARED.some((shared) => path.startsWith(shared)) ? path : undefined;
  }
  return name.startsWith('/') || name === '@jest/globals' || Module.isBuiltin(name) ? undefined : name;
}

const loadShared = (from, target) => Module.createRequire(from)(target);

module.exports = { sharedTarget, loadShared, sourceMaps };
