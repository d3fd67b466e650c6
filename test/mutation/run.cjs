// Loads the project's TypeScript as the tests do: with the metadata of decorators, which tsx leaves out.
require('../jest/shared-modules.cjs');
require('./mutation.ts');
