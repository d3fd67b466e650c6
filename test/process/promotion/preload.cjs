/**
 * Loaded into the service before its own code. V8 then prints a line for each collection, and
 * `PROMOTION_FAULT=closures` puts a fault into a file of the service.
 */
const Module = require('node:module');
const v8 = require('node:v8');

v8.setFlagsFromString('--trace-gc-nvp');

/** As the page of 5-traffic warns: closures of a constructor that hold its `this` and its parameters. */
const CLOSURES = {
  file: /1-platform\/outbound\/worker-client\.js$/,
  replace: (source) => {
    const changed = source
      .replace('this.aborted.bind(this)', '() => this.aborted()')
      .replace(
        'this.forgetSignal.bind(this)',
        '() => { this.forgetSignal(); void signal; void resolve; void reject; }',
      );
    if (changed === source || changed.includes('this.forgetSignal.bind(this)'))
      throw new Error('worker-client.js is not as this fault expects it');
    return changed;
  },
};

if (process.env.PROMOTION_FAULT === 'closures') {
  const compile = Module.prototype._compile;
  Module.prototype._compile = function (source, file, ...rest) {
    return compile.call(this, CLOSURES.file.test(file) ? CLOSURES.replace(source) : source, file, ...rest);
  };
}
