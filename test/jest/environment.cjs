const { TestEnvironment } = require('jest-environment-node');

/**
 * One in which test files and what they share mean the same by
 * `Error`, and see the same variables of the environment.
 */
module.exports = class SharingEnvironment extends TestEnvironment {
  constructor(...settings) {
    super(...settings);
    this.global.process.env = process.env;
    Object.assign(this.global, { Date, Error, JSON, Map, Promise, RangeError, Set, String, SyntaxError, TypeError });
  }
};
