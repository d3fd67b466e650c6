import { newId } from '../../src/1-platform/common/ids';
import type { JsonObject } from '../../src/1-platform/common/json/json';
import { printFigures, recordFigure } from '../support/figures';
import { HONEST_URLS, hostileUrls } from '../support/hostile-urls';
import { activationOf, buildProfile, createProfile, report } from '../support/profiles';
import { Service, type Answer, type Organisation } from '../support/service';

const PROFILES = '/v1/inference/profiles';

describe('an address that the service would connect to', () => {
  let service: Service;
  let org: Organisation;
  let profileId: string;

  const start = async (overrides: Parameters<typeof Service.start>[0] = {}): Promise<void> => {
    service = await Service.start(overrides);
    org = await service.organisation();
    ({ profile_id: profileId } = await createProfile(org));
  };
  afterEach(() => service.close());
  afterAll(printFigures);

  /** Every field that accepts one. */
  const PLACES: [
    field: string,
    accepted: number,
    send: (url: string) => Promise<Answer>,
    stored: () => Promise<unknown>,
  ][] = [
    [
      'backend_url',
      201,
      (url) => org.operator.post(PROFILES, buildProfile(newId(), { backend_url: url })),
      async () => ((await org.viewer.get(PROFILES)).body as JsonObject[]).length - 1,
    ],
    [
      'endpoint',
      204,
      (url) => report(org.controller, profileId, { endpoint: url }),
      async () => ((await activationOf(org.viewer, profileId)) ? 1 : 0),
    ],
    [
      'metrics_url',
      204,
      (url) => org.controller.put(`${PROFILES}/${profileId}/worker-endpoint`, { metrics_url: url }),
      async () => (await service.db.query('select from worker_endpoints where profile_id = $1', [profileId])).rowCount,
    ],
  ];

  const verdict = ({ status, body }: Answer): unknown => [
    status,
    (body as { errors?: { field: string }[] } | undefined)?.errors?.map(({ field }) => field),
  ];

  it.each(PLACES)(
    'is refused as %s if it is hostile, and accepted if it is honest',
    async (field, accepted, send, stored) => {
      await start();
      const hostile = hostileUrls(Number(new URL(service.url).port));
      const verdicts: [url: string, unknown][] = [];
      for (const url of hostile) verdicts.push([url, verdict(await send(url))]);
      const value = Number(await stored());
      const attack = `${hostile.length} hostile addresses as ${field}`;
      recordFigure({ row: 12, attack, measure: 'stored', value, unit: '', bound: { atMost: 0 } });
      expect(verdicts).toEqual(hostile.map((url) => [url, [400, [field]]]));
      for (const url of HONEST_URLS) expect([url, (await send(url)).status]).toEqual([url, accepted]);
      expect(await stored()).toBeGreaterThan(0);
    },
  );

  it.each(PLACES)('is restricted to the list of WORKER_ENDPOINT_ALLOW as %s', async (field, accepted, send) => {
    await start({ workerEndpointAllow: ['127.0.0.1:8000', '10.0.0.0/8', 'worker.svc'] });
    for (const url of ['http://127.0.0.1:8000/v1', 'http://10.1.2.3', 'http://worker.svc:9000', 'http://other.svc/'])
      expect([url, (await send(url)).status]).toEqual([url, accepted]);
    for (const url of ['http://127.0.0.1:8001/v1', 'http://11.0.0.1/', 'http://[::1]:8000', 'http://169.254.169.254/'])
      expect([url, verdict(await send(url))]).toEqual([url, [400, [field]]]);
  });

  it.each(PLACES)("is never the service's own or its database's, as %s", async (field, accepted, send) => {
    await start({ workerEndpointAllow: ['127.0.0.0/8'] });
    for (const { port } of [new URL(service.url), new URL(service.environment.databaseUrl ?? '')])
      for (const host of ['127.0.0.1', '127.0.0.2', '0x7f.1', '[::ffff:127.0.0.1]'])
        expect([host, verdict(await send(`http://${host}:${port}/`))]).toEqual([host, [400, [field]]]);
    expect((await send('http://127.0.0.1:8000')).status).toBe(accepted);
  });

  it.each([undefined, null, ''])('is missing when a report says %j', async (endpoint) => {
    await start({ workerEndpointAllow: ['10.0.0.0/8'] });
    expect((await report(org.controller, profileId, { endpoint })).status).toBe(204);
    expect(await activationOf(org.viewer, profileId)).toMatchObject({ endpoint: endpoint ?? null });
  });
});
