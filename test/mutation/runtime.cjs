const { resolve } = require('node:path');
const { readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

const { exclude: _, ...options } = JSON.parse(readFileSync(resolve(__dirname, '../../.swcrc'), 'utf8'));

// Replaces `require.extensions['.ts']`.
module.exports = require('../jest/runtime.cjs');

/** One file of the service with one statement changed: see `statement-runs.ts`. No file is written. */
if (process.env.STATEMENT_MUTANT) {
  const { file, from, to, text } = JSON.parse(process.env.STATEMENT_MUTANT);
  const mutated = resolve(__dirname, '../..', file);
  const load = require.extensions['.ts'];
  require.extensions['.ts'] = (module, filename) => {
    if (filename !== mutated) return load(module, filename);
    const source = readFileSync(filename, 'utf8');
    const changed = `${source.slice(0, from)}${text}${source.slice(to)}`;
    module._compile(transformSync(changed, { ...options, filename, swcrc: false }).code, filename);
  };
}
