// Preloaded into the service: its own PostgreSQL stops, which ends with an error.
const Module = require('node:module');

const load = Module._load;
const changed = new WeakSet();
Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  const { EmbeddedServer } = /\/embedded-server$/.test(request) ? loaded : {};
  if (!EmbeddedServer || changed.has(EmbeddedServer)) return loaded;
  changed.add(EmbeddedServer);
  const { stop } = EmbeddedServer.prototype;
  EmbeddedServer.prototype.stop = async function () {
    await stop.call(this);
    throw new Error('the lock is not released');
  };
  return loaded;
};
