// Preloaded into the service: from its start on, the result of a request waits to be written, and cannot be.
const Module = require('node:module');

const away = () => Promise.reject(Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }));
const load = Module._load;
const changed = new WeakSet();
Module._load = function (request, ...rest) {
  const loaded = load.call(this, request, ...rest);
  const { SettlementsService } = /\/settlements\.service$/.test(request) ? loaded : {};
  if (!SettlementsService || changed.has(SettlementsService)) return loaded;
  changed.add(SettlementsService);
  const { onModuleInit } = SettlementsService.prototype;
  SettlementsService.prototype.onModuleInit = function () {
    onModuleInit.call(this);
    this.statements = { run: away };
    const nothing = { key_id: null, began_ms_ago: 0, credited_start_id: null, repeated: 0 };
    this.settle({ org_id: 'org', request_id: 'one', ...nothing });
  };
  return loaded;
};
