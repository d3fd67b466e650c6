// Preloaded into the service: a part of its stop fails.
const Module = require('node:module');

const load = Module._load;
Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  if (!/\/draining$/.test(request) || loaded.Draining.fails) return loaded;
  const { close } = loaded.Draining.prototype;
  loaded.Draining.fails = true;
  loaded.Draining.prototype.close = async function (app) {
    await close.call(this, app);
    throw new Error('usage was not written');
  };
  return loaded;
};
