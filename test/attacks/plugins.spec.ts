import { expectFigure, printFigures } from '../support/figures';
import { Replicas } from '../support/replicas';
import { servicePid } from '../support/resident';
import type { Organisation } from '../support/service';
import { flood, pinToServiceCore, wire } from './flood';

const MS = 8_000;
const CONNECTIONS = 300;
const PLUGINS = 300;
const VERSIONS = 5;
const ATTACK = `${CONNECTIONS} connections read ${PLUGINS} plugins without a bearer, again and again`;

const STORED = `
  insert into plugin_objects (org_id, id, slot, object_key, name, plugin, kind, install_dir, version, arch,
    build, repository, state, object_tag, size_bytes, announced_at, published_at)
  select o.id, gen_random_uuid(), s.slot, gen_random_uuid()::text, 'plugin-' || p, 'plugin-' || p, 'binary',
    '/usr/local/bin', '1.' || v || '.0', 'amd64', 'release', '', 'available', 'tag', 1, now(), now()
  from organisations o, generate_series(1, $1::int) p, generate_series(1, $2::int) v,
    unnest(array['version', 'latest']) s(slot)`;

describe('a flood of reads of plugins without a bearer', () => {
  let replicas: Replicas;
  let org: Organisation;
  let url: string;

  beforeAll(async () => {
    replicas = await Replicas.start(1);
    org = replicas.organisation();
    ({ url } = replicas.of(0));
    await replicas.db.query(STORED, [PLUGINS, VERSIONS]);
    pinToServiceCore(Number(servicePid(replicas.of(0).process)));
  });
  afterAll(async () => {
    await replicas.close();
    printFigures();
  });

  const limitOfRequests = async (): Promise<number> =>
    Number(/^work_limit\{work="request"\} (\d+)$/m.exec(await (await fetch(`${url}/metrics`)).text())?.[1]);

  it('leaves the tenants their connections to the database', async () => {
    const attack = (milliseconds: number) =>
      flood({
        url,
        milliseconds,
        streams: {
          plugins: { requests: [wire('/v1/plugins', undefined)], connections: CONNECTIONS },
          reads: { requests: [wire('/v1/nodes', org.admin.token)], connections: 20, rate: 50 },
        },
      });
    // A service that has just started compiles its code meanwhile.
    await attack(3_000);
    const limits: number[] = [];
    const looks = setInterval(() => void limitOfRequests().then((limit) => limits.push(limit)), 500);
    const { streams } = await attack(MS).finally(() => clearInterval(looks));
    const { plugins, reads } = streams;
    expectFigure({
      attack: ATTACK,
      measure: 'lists of plugins answered',
      value: plugins?.statuses['200'] ?? 0,
      unit: '',
      bound: { atLeast: 1 },
    });
    expectFigure({
      attack: ATTACK,
      measure: 'reads of a tenant served, of 100',
      value: (100 * (reads?.statuses['200'] ?? 0)) / ((reads?.sent ?? 0) + (reads?.unsent ?? 0)),
      unit: '',
      bound: { atLeast: 99 },
    });
    expectFigure({
      attack: ATTACK,
      measure: 'reads of a tenant, p99',
      value: reads?.served.p99 ?? NaN,
      unit: 'ms',
      bound: { atMost: 500 },
    });
    expectFigure({
      attack: ATTACK,
      measure: 'lowest limit of requests in progress',
      value: Math.min(...limits),
      unit: '',
      bound: { atLeast: await limitOfRequests() },
    });
  }, 60_000);
});
