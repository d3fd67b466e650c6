import { expectFigure, printFigures } from '../support/figures';
import { AttackedReplica, expectReads } from './attacked-replica';
import { wire } from './flood';

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
  let replica: AttackedReplica;

  beforeAll(async () => {
    replica = await AttackedReplica.start((db) => db.query(STORED, [PLUGINS, VERSIONS]));
  });
  afterAll(async () => {
    await replica.close();
    printFigures();
  });

  const limitOfRequests = async (): Promise<number> =>
    Number(/^work_limit\{work="request"\} (\d+)$/m.exec(await (await fetch(`${replica.url}/metrics`)).text())?.[1]);

  it('leaves the tenants their connections to the database', async () => {
    const limits: number[] = [];
    const beside = await replica.under(
      { requests: [wire('/v1/plugins', undefined)], connections: CONNECTIONS },
      async () => void limits.push(await limitOfRequests()),
    );
    expectFigure({
      attack: ATTACK,
      measure: 'lists of plugins answered',
      value: beside.attack.statuses['200'] ?? 0,
      unit: '',
      bound: { atLeast: 1 },
    });
    expectReads(ATTACK, beside, 500);
    expectFigure({
      attack: ATTACK,
      measure: 'lowest limit of requests in progress',
      value: Math.min(...limits),
      unit: '',
      bound: { atLeast: await limitOfRequests() },
    });
  });
});
