const { default: Sequencer } = require('@jest/test-sequencer');
const { SECONDS } = require('./slow-files.cjs');

/**
 * Starts the slowest files first. In a fresh clone jest knows no times, and would start large files first.
 */
module.exports = class SlowestFirst extends Sequencer {
  sort(tests) {
    const secondsOf = ({ path, context }) => SECONDS[path.slice(context.config.rootDir.length + 1)] ?? 0;
    return super.sort(tests).sort((one, other) => secondsOf(other) - secondsOf(one));
  }
};
