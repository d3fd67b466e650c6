const { appendFileSync, mkdirSync } = require('node:fs');
const { dirname, relative, resolve } = require('node:path');

const PROJECT = resolve(__dirname, '../..');
const OUTCOMES = resolve(PROJECT, 'node_modules/.cache/outcomes.jsonl');
/** As in test/support/figures.ts, which cannot be loaded here. */
const MISSED = 'Figures outside of their bounds:';

/**
 * Keeps how each spec file of the long form ended, for docs/reliability.md: a test that fails before it
 * records its figure would leave the earlier one on the page.
 */
module.exports = class Outcomes {
  constructor({ testNamePattern }) {
    // Some tests of a file show that it failed, but not that it passes.
    this.isWhole = !testNamePattern;
  }

  onTestResult(_test, { testFilePath, testResults, testExecError, perfStats }) {
    const failed =
      testResults.some(({ failureMessages }) => failureMessages.some((message) => !message.includes(MISSED))) ||
      (testExecError != null && !`${testExecError.message} ${testExecError.stack}`.includes(MISSED));
    const passed = this.isWhole && testResults.some(({ status }) => status === 'passed');
    if (!failed && !passed) return;
    const version = /\/(\d+)$/.exec(process.env.TEST_POSTGRES_HOME ?? '')?.[1] ?? '18';
    const outcome = {
      file: relative(PROJECT, testFilePath),
      on: `PostgreSQL ${version}`,
      date: new Date(perfStats.end).toISOString().slice(0, 10),
      failed,
    };
    mkdirSync(dirname(OUTCOMES), { recursive: true });
    appendFileSync(OUTCOMES, `${JSON.stringify(outcome)}\n`);
  }
};
