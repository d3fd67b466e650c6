import { TransferShares } from '../../../../src/1-platform/object-storage/transfer-shares';
import { eventually } from '../../../support/eventually';
import { fetched, put, temporaryDirectory } from '../../../support/plugins';
import { RawConnection } from '../../../support/raw-http';
import { Service, type Organisation } from '../../../support/service';

describe('slow clients of the files of an organisation', () => {
  let service: Service;
  let org: Organisation;
  let other: Organisation;
  const opened: RawConnection[] = [];

  beforeAll(async () => {
    service = await Service.start({ objectStorageDir: temporaryDirectory() });
    org = await service.organisation();
    other = await service.organisation();
    service.app.get(TransferShares).most = 2;
  });
  afterEach(() => {
    for (const connection of opened.splice(0)) connection.close();
  });
  afterAll(() => service.close());

  const addressOf = async ({ controller }: Organisation, path: string): Promise<string> =>
    (await controller.put(`/v1/files/${path}`)).text;
  const send = async ({ controller }: Organisation, path: string): Promise<number> =>
    (await put((await controller.put(`/v1/files/${path}`)).text, Buffer.from(path))).status;

  it('leave places to others, who send and read theirs', async () => {
    expect(await send(org, 'before')).toBe(200);
    const readable = (await org.controller.get('/v1/files/before')).text;
    for (const path of ['one', 'two']) {
      const { pathname, search } = new URL(await addressOf(org, path));
      const connection = await RawConnection.open(service.url);
      opened.push(connection);
      connection.write(`PUT ${pathname}${search} HTTP/1.1\r\nHost: service\r\nContent-Length: 100\r\n\r\nslow`);
    }
    await eventually(async () => expect(await send(org, 'three')).toBe(503));
    expect((await fetched(readable)).status).toBe(503);
    expect(await send(other, 'one')).toBe(200);
    expect((await fetched((await other.controller.get('/v1/files/one')).text)).status).toBe(200);
    // An address with a wrong signature takes none of the places of the organisation that it names.
    for (let attempt = 0; attempt < 3; attempt++)
      expect((await fetched(readable.replace('before', 'later').replace(org.id, other.id))).status).toBe(403);
    expect(await send(other, 'two')).toBe(200);

    for (const connection of opened.splice(0)) connection.close();
    await eventually(async () => expect(await send(org, 'three')).toBe(200));
    for (let file = 0; file < 5; file++) expect(await send(org, `after-${file}`)).toBe(200);
  });
});
