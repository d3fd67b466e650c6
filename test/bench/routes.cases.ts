import type { BenchCase, Side } from './bench';
import { load, Loaded, wireRequest } from './loader';
import { profile, ready, route } from './traffic';
import { TOKEN, type Workbench } from './workbench';

const CONNECTIONS = 32;
const REQUESTS = 100;
const ROUTES = 20;
const PATH = '/v1/inference/routes/status';
/** The minimal share of the floor's requests per second. */
const SHARE = 0.8;

export const routeStatus: BenchCase = {
  name: 'routes',
  what: `P2: GET ${PATH}, ${ROUTES} routes of 2 or 3 targets, ${CONNECTIONS} connections, ${CONNECTIONS * REQUESTS} requests`,
  async prepare(bench) {
    await makeRoutes(bench);
    const floor = await bench.beside('floor-server.ts');
    const targets = [
      { name: 'service', url: bench.url, request: wireRequest(PATH, TOKEN) },
      { name: 'floor', url: floor.url, request: wireRequest('/statuses', TOKEN) },
    ];
    // Every reply must equal the first.
    const expected = await bodyOf(bench.url, wireRequest(PATH, TOKEN));
    expectRoutes(expected);
    const loaded = targets.map(({ name }) => new Loaded(name));
    const sides = targets.map(({ name, url, request }, place): Side => {
      const lanes = Array.from({ length: CONNECTIONS }, () => Array.from({ length: REQUESTS }, () => request));
      const isRight = (body: Buffer) => body.equals(expected);
      const run = async (round: number) =>
        (await loaded[place]?.send(round, url, lanes, { status: 200, isRight }))?.milliseconds ?? NaN;
      return { name, isReference: name !== 'service', run };
    });
    return {
      sides,
      bounds: [{ of: 'service', against: 'floor', atMost: Math.round(100 / SHARE) / 100 }],
      notes: () => loaded.map(String),
      close: () => floor.stop(),
    };
  },
};

/** A quarter of the routes each: served by the first target, served by the second, starting, cold. */
async function makeRoutes(bench: Workbench): Promise<void> {
  for (let number = 0; number < ROUTES; number++) {
    const ids = Array.from({ length: 2 + (number % 2) }, (_, target) => `status-${number}-${target}`);
    for (const id of ids) await profile(bench, id);
    const [first = '', second = ''] = ids;
    if (number % 4 === 0) await ready(bench, first, 'http://10.0.3.7:8000');
    if (number % 4 < 2) await ready(bench, second, 'http://10.0.3.8:8000');
    if (number % 4 === 2) {
      const asked = { desired_state: 'Active', desired_replicas: 1 };
      await bench.post(`/v1/inference/profiles/${first}/state`, JSON.stringify(asked));
    }
    await route(bench, `status-${number}`, ids);
  }
}

async function bodyOf(url: string, request: Buffer): Promise<Buffer> {
  let found: Buffer | undefined;
  const isRight = (body: Buffer) => (found = body).length > 0;
  await load(url, [[request]], { status: 200, isRight });
  return found ?? Buffer.alloc(0);
}

function expectRoutes(body: Buffer): void {
  const states = (JSON.parse(body.toString()) as { logical_model: string; state: string }[])
    .filter(({ logical_model: model }) => model.startsWith('status-'))
    .map(({ state }) => state);
  for (const state of ['serving', 'fallback', 'activating', 'cold']) {
    const count = states.filter((one) => one === state).length;
    if (count !== ROUTES / 4) throw new Error(`${count} routes are ${state}: ${body.toString()}`);
  }
}
