import type { BenchCase, Side } from './bench';
import { Loaded, wireRequest } from './loader';
import { expectReserved, newKeys, serveModel } from './traffic';
import type { Workbench } from './workbench';
import { DEFAULT_MAX_TOKENS } from '../../src/5-traffic/admissions/prices';

const CONNECTIONS = 32;
const REQUESTS = 100;
const ALL = CONNECTIONS * REQUESTS;
const PATH = '/v1/inference/router/authorize';
const MODEL = 'authorize';
const PROMPT_TOKENS = 420;
const RESERVED = { prompt_tokens: PROMPT_TOKENS, completion_tokens: DEFAULT_MAX_TOKENS };
/** The minimal share of the floor's requests per second. */
const SHARE = 0.8;

interface Target {
  name: string;
  url: string;
  path: string;
}

const isRight = (body: Buffer): boolean =>
  /^\{"authorization_id":"[0-9a-f-]{36}","route_generation":1,"expires_at":"[^"]{24}"\}$/.test(body.toString());

export const authorize: BenchCase = {
  name: 'authorize',
  what:
    `P3: POST ${PATH}, ${CONNECTIONS} connections, ${ALL} requests of keys with rate, budget, reservation and ledger. ` +
    'The floor calls the function of the service with one request for each commit; the service admits up to 128 that ' +
    'wait with one call, of one key up to 64',
  async prepare(bench) {
    await serveModel(bench, { logicalModel: MODEL, exactModel: MODEL, endpoint: 'http://127.0.0.1:9' });
    const floor = await bench.beside('floor-server.ts');
    const targets: Target[] = [
      { name: 'service', url: bench.url, path: PATH },
      { name: 'floor', url: floor.url, path: '/authorize' },
    ];
    const mixes = [1, CONNECTIONS].map((keys) => ({
      keys,
      named: keys === 1 ? 'one key' : `${keys} keys`,
    }));
    const all = mixes.flatMap(({ keys, named }) => targets.map((target) => sideOf(bench, target, keys, named)));
    return {
      sides: all.map(({ side }) => side),
      bounds: mixes.map(({ named }) => ({ of: `service ${named}`, against: `floor ${named}`, atMost: 1 / SHARE })),
      notes: () => all.map(({ loaded }) => loaded.toString()),
      close: () => floor.stop(),
    };
  },
};

/** @param count of keys, which the connections use in turn */
function sideOf(bench: Workbench, target: Target, count: number, named: string): { side: Side; loaded: Loaded } {
  const { url, path } = target;
  const name = `${target.name} ${named}`;
  const loaded = new Loaded(name);
  const run = async (round: number): Promise<number> => {
    const keys = await newKeys(bench, count);
    const lanes = Array.from({ length: CONNECTIONS }, (_, lane) =>
      Array.from({ length: REQUESTS }, (_request, place) =>
        wireRequest(path, keys[lane % count]?.bearer ?? '', asked(`${name}-${round}-${lane}-${place}`)),
      ),
    );
    const { milliseconds } = await loaded.send(round, url, lanes, { status: 200, isRight });
    await expectReserved(bench, keys, ALL, RESERVED);
    // Nobody settles them: their release must not disturb the next measurement.
    await bench.db.query('delete from authorizations where key_id = any($1)', [keys.map(({ id }) => id)]);
    return milliseconds;
  };
  return { side: { name, isReference: target.name !== 'service', run }, loaded };
}

const asked = (requestId: string): string =>
  JSON.stringify({ request_id: requestId, logical_model: MODEL, estimated_prompt_tokens: PROMPT_TOKENS });
