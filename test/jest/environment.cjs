const { TestEnvironment } = require('jest-environment-node');

/**
 * An environment in which test files and shared modules have the same `Error` class and the same environment
 * variables.
 */
module.exports = class SharingEnvironment extends TestEnvironment {
  constructor(...settings) {
    super(...settings);
    this.global.process.env = process.env;
    Object.assign(this.global, { Date, Error, JSON, Map, Promise, RangeError, Set, String, SyntaxError, TypeError });
  }
};
