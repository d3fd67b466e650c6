const Sequencer = require('@jest/test-sequencer').default;

/** The specs of a part run in the order in which the part names them. */
module.exports = class extends Sequencer {
  sort(tests) {
    const specs = JSON.parse(process.env.MUTATION_SPECS ?? '[]');
    const placeOf = ({ path }) => specs.findIndex((spec) => path.endsWith(`/${spec}`));
    return [...tests].sort((one, other) => placeOf(one) - placeOf(other));
  }
};
