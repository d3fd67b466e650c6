import { newId } from '../../../../src/1-platform/common/ids';
import { Service, type Answer, type Organisation } from '../../../support/service';

describe('large restore events', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(() => service.close());

  const event = (bytes: number) => ({ restore_uuid: newId(), note: 'x'.repeat(bytes) });

  it('may have at most 256 KiB', async () => {
    const answer = await org.controller.post('/v1/restores/events/restore_start', event(256 * 1024));
    expect([answer.status, answer.body.errors[0].field]).toEqual([400, 'body']);
  });

  it('are listed as far as they fit, and the rest on the next page', async () => {
    const uuids: string[] = [];
    for (let i = 0; i < 80; i++) {
      const body = event(250 * 1024);
      uuids.push(body.restore_uuid);
      expect((await org.controller.post('/v1/restores/events/restore_start', body)).status).toBe(200);
    }
    const listed: string[] = [];
    let next: string | undefined = '/v1/restores?limit=1000';
    let pages = 0;
    while (next !== undefined) {
      const answer: Answer = await org.viewer.get(next);
      expect(answer.text.length).toBeLessThan(18 * 1024 * 1024);
      listed.push(...(answer.body as { restore_uuid: string }[]).map(({ restore_uuid: uuid }) => uuid));
      next = /^<([^>]+)>; rel="next"$/.exec(answer.headers.link ?? '')?.[1];
      pages++;
    }
    expect(pages).toBe(2);
    expect(listed).toEqual(uuids.reverse());
  });
});
