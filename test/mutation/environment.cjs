const Environment = require('../jest/environment.cjs');

/**
 * Node loads the modules of the service, once for all specs, where Stryker expects jest to load them for
 * each. So Node's side gets the context in which Stryker counts coverage, and the mutant of the run.
 */
module.exports = class extends Environment {
  async setup() {
    await super.setup();
    globalThis.__stryker__ = this.global.__stryker__ ?? globalThis.__stryker__ ?? {};
    globalThis.__stryker__.activeMutant = process.env.__STRYKER_ACTIVE_MUTANT__;
  }

  /** A mutant is noticed by the first test that fails: the rest of the file would only cost its time. */
  handleTestEvent(event, state) {
    super.handleTestEvent(event, state);
    if (event.name === 'test_done' && event.test.errors.length > 0) this.isNoticed = true;
    if (event.name === 'test_start' && this.isNoticed) event.test.mode = 'skip';
  }
};
