import { Service, type Organisation } from '../../../support/service';

describe('a precondition of a reader', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  it('is ignored where replies have no tag: a read always shows what is there', async () => {
    const known: Record<string, string>[] = [
      { 'if-none-match': '*' },
      { 'if-none-match': '"a"' },
      { 'if-modified-since': new Date().toUTCString() },
    ];
    for (const headers of known) {
      const { status, body } = await org.viewer.get('/v1/cluster', headers);
      expect([status, body]).toEqual([200, []]);
    }
  });

  it('counts where a reply has a tag, any or this one', async () => {
    const path = '/v1/inference/router/config';
    const { etag = '' } = (await org.controller.get(path)).headers;
    expect((await org.controller.get(path, { 'if-none-match': etag })).status).toBe(304);
    expect((await org.controller.get(path, { 'if-none-match': '*' })).status).toBe(304);
  });
});
