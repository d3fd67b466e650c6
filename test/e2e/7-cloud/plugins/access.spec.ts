import { follow, downloadPath, publish, temporaryDirectory, uploadPath } from '../../../support/plugins';
import { ADMIN_TOKEN, Service, type Organisation } from '../../../support/service';

const READS = ['/v1/plugins', '/v1/download', '/v1/install', '/v1/install/slurm', downloadPath('main')];

describe('the plugin catalogue', () => {
  let service: Service;
  let other: Organisation;
  const objectStorageDir = temporaryDirectory();
  const body = { repository: 'example/plugins' };

  afterEach(() => service.close());
  const start = async (pluginsPublic: boolean): Promise<void> => {
    service = await Service.start({ objectStorageDir, pluginsPublic });
    other = await service.organisation();
  };

  it('is read without a bearer, and ignores one that is sent', async () => {
    await start(true);
    const bytes = await publish(service.admin, 'main');
    for (const path of READS.slice(1)) {
      const statuses = [];
      for (const token of [undefined, 'no-token-of-ours', other.viewer.token])
        statuses.push((await service.as(token).get(path)).status);
      expect([path, new Set(statuses).size, statuses[0]]).toEqual([path, 1, path.includes('install') ? 404 : 302]);
    }
    for (const token of [undefined, 'no-token-of-ours', other.viewer.token]) {
      expect((await service.as(token).get('/v1/plugins')).body).toHaveLength(1);
      expect(await follow(await service.as(token).get('/v1/download'))).toEqual(bytes);
    }
    expect((await service.as('no-token-of-ours').post(uploadPath('main'), body)).status).toBe(401);
  });

  it('belongs to the first organisation, whose operators publish', async () => {
    await start(true);
    const made = await service.admin.post('/v1/tokens', { name: 'publisher', role: 'operator' });
    const operator = service.as(made.body.raw_token as string);
    await publish(operator, 'main');
    for (const caller of [other.operator, other.admin]) {
      const refused = await caller.post(uploadPath('main'), body);
      expect([refused.status, refused.body.code]).toEqual([403, 'another_organisation_publishes']);
    }
    const { rows } = await service.db.query('select distinct org_id from plugin_objects');
    expect(rows).toHaveLength(1);
  });

  it('needs a bearer with PLUGINS_PUBLIC=false, and belongs to its organisation', async () => {
    await start(false);
    const [ours, theirs] = [await publish(service.admin, 'main'), await publish(other.operator, 'main')];
    for (const path of READS) {
      const refused = await service.as(undefined).get(path);
      expect([path, refused.status, refused.body.code]).toEqual([path, 401, 'unauthenticated']);
    }
    const key = (await other.operator.post('/v1/inference/keys', { name: 'key' })).body.raw_key as string;
    expect((await service.as(key).get('/v1/plugins')).status).toBe(403);
    for (const caller of [other.admin, other.operator, other.viewer, other.controller]) {
      expect(await follow(await caller.get('/v1/download'))).toEqual(theirs);
      expect((await caller.get('/v1/plugins')).body).toHaveLength(1);
    }
    expect(await follow(await service.as(ADMIN_TOKEN).get(downloadPath('main')))).toEqual(ours);
    const stranger = await service.organisation();
    expect((await stranger.viewer.get('/v1/download')).status).toBe(404);
    expect((await stranger.viewer.get('/v1/plugins')).body).toEqual([]);
  });
});
