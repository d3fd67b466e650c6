const { TestEnvironment } = require('jest-environment-node');
const { leftOutOf, leaveOut } = require('./long-form.cjs');

/**
 * An environment in which test files and shared modules have the same `Error` class and the same environment
 * variables.
 */
module.exports = class SharingEnvironment extends TestEnvironment {
  constructor(config, context) {
    super(config, context);
    this.leftOut = leftOutOf(context.testPath);
    this.global.process.env = process.env;
    Object.assign(this.global, { Date, Error, JSON, Map, Promise, RangeError, Set, String, SyntaxError, TypeError });
  }

  handleTestEvent({ name }, state) {
    if (name !== 'run_start') return;
    // For a test that is about all others of its file.
    this.global.runsWholeFile = !state.testNamePattern;
    if (this.leftOut) leaveOut(state.rootDescribeBlock, this.leftOut);
  }
};
