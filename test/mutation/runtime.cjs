const { resolve } = require('node:path');
const { appendFileSync, readFileSync } = require('node:fs');
const { transformSync } = require('@swc/core');

const { exclude: _, ...options } = JSON.parse(readFileSync(resolve(__dirname, '../../.swcrc'), 'utf8'));

// Replaces `require.extensions['.ts']`.
module.exports = require('../jest/runtime.cjs');

/** One file of the service with one change: see `mutant-runs.ts`. No file is written. */
if (process.env.SOURCE_MUTANT) {
  const { file, from, to, text } = JSON.parse(process.env.SOURCE_MUTANT);
  const mutated = resolve(__dirname, '../..', file);
  const load = require.extensions['.ts'];
  require.extensions['.ts'] = (module, filename) => {
    if (filename !== mutated) return load(module, filename);
    const source = readFileSync(filename, 'utf8');
    const changed = `${source.slice(0, from)}${text}${source.slice(to)}`;
    module._compile(transformSync(changed, { ...options, filename, swcrc: false }).code, filename);
  };
}

/** Errors of syntax and types, and what no plan can do; but not a privilege that is missing. */
const NO_VALID_SQL = /^(?:42(?!501)|0A000)/;

/** Keeps the codes of statements that PostgreSQL refuses as no valid SQL, for `mutant-runs.ts`. */
if (process.env.REFUSED_STATEMENTS) {
  const { Client } = require('pg');
  const answered = Client.prototype._handleErrorMessage;
  if (typeof answered !== 'function') throw new Error('pg handles errors elsewhere now');
  Client.prototype._handleErrorMessage = function (message) {
    if (NO_VALID_SQL.test(message.code)) appendFileSync(process.env.REFUSED_STATEMENTS, `${message.code}\n`);
    return answered.call(this, message);
  };
}
