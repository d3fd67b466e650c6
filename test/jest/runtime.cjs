const Runtime = require('jest-runtime').default;
const { loadShared, sharedTarget, sourceMaps } = require('./shared-modules.cjs');

/** Loads what all test files share once for each worker. */
module.exports = class SharingRuntime extends Runtime {
  requireModule(from, name, options, ...more) {
    // Without a name: the test file itself. Internal: jest's own modules.
    const target = name === undefined || options?.isInternalModule ? undefined : sharedTarget(from, name);
    if (target === undefined) return super.requireModule(from, name, options, ...more);
    const shared = loadShared(from, target);
    this.getSourceMaps();
    return shared;
  }

  /** In the map that jest reads whenever it shows a stack. */
  getSourceMaps() {
    const maps = super.getSourceMaps();
    for (const [path, map] of sourceMaps) maps.set(path, map);
    return maps;
  }
};
