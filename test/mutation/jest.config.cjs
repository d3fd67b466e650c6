const { projects } = require('../jest/config.cjs');

const specs = JSON.parse(process.env.MUTATION_SPECS ?? '[]');
const { displayName: _, ...unit } = projects.find(({ displayName }) => displayName === 'unit');

/**
 * The specs of one part, named in `MUTATION_SPECS`, unit tests and others alike. The runs of all mutants
 * share one PostgreSQL, which `mutation.ts` starts.
 */
module.exports = {
  ...unit,
  runtime: require.resolve('./runtime.cjs'),
  testEnvironment: require.resolve('./environment.cjs'),
  testMatch: specs.map((spec) => `<rootDir>/${spec}`),
  testSequencer: require.resolve('./sequencer.cjs'),
  testTimeout: 20_000,
};
