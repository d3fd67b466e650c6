const Runtime = require('jest-runtime').default;
const { loadShared, sharedTarget, sourceMaps } = require('./shared-modules.cjs');

/** Loads modules that all test files share once per worker. */
module.exports = class SharingRuntime extends Runtime {
  requireModule(from, name, options, ...more) {
    // No name: the test file itself. Internal: jest's own modules.
    const target = name === undefined || options?.isInternalModule ? undefined : sharedTarget(from, name);
    if (target === undefined) return super.requireModule(from, name, options, ...more);
    const shared = loadShared(from, target);
    this.getSourceMaps();
    return shared;
  }

  /** Registered in the map that jest reads to print stacks. */
  getSourceMaps() {
    const maps = super.getSourceMaps();
    for (const [path, map] of sourceMaps) maps.set(path, map);
    return maps;
  }
};
