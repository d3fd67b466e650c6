import { gzipSync } from 'node:zlib';
import { eventually } from '../../../support/eventually';
import { RawConnection } from '../../../support/raw-http';
import { body1, HEADERS_1, message1, type BuiltSeries } from '../../../support/remote-write';
import { Service, type Caller, type Organisation } from '../../../support/service';

/** What one replica takes at a time of one organisation, and of all. */
const REQUESTS_OF_ONE = 48;
const REQUESTS = 64;
const MIB = 1_024 * 1_024;
const BYTES = 128 * MIB;
/** Of bodies of this size, so many fit of one organisation. */
const LARGE = 31 * MIB;
const LARGE_OF_ONE = 3;
const SAMPLES = 20_000;
/** Its time and value as received, and in its row those and its series and its place. */
const BYTES_OF_A_SAMPLE = 16 + 28;

/** Mostly blanks, which inflate to about forty times their size; a hundred times is allowed. */
function blanks(length: number): Buffer {
  const bytes = Buffer.alloc(length, ' ');
  for (let at = 0; at < length; at += 48) bytes[at] = 33 + ((Math.imul(at, 2_654_435_761) >>> 25) % 90);
  return bytes;
}

describe('the memory for samples', () => {
  let service: Service;
  let org: Organisation;
  const open: RawConnection[] = [];

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterEach(async () => {
    for (const connection of open.splice(0)) connection.close();
    await eventually(async () => expect(await underWay()).toEqual({ requests: 0, bytes: 0 }));
    expect((await write()).status).toBe(204);
  });
  afterAll(() => service.close());

  const write = (caller: Caller = org.controller) =>
    caller.send(
      'post',
      '/v1/metrics/write',
      body1({ labels: { __name__: 'node_load1' }, samples: [[service.clock.now().getTime(), 1]] }),
      HEADERS_1,
    );

  async function underWay(): Promise<{ requests: number; bytes: number }> {
    const { text } = await service.as(undefined).get('/metrics');
    const of = (what: string) => Number(new RegExp(`^ingest_under_way\\{of="${what}"\\} (\\d+)$`, 'm').exec(text)?.[1]);
    return { requests: of('requests'), bytes: of('bytes') };
  }

  /** A request whose body does not arrive, or not completely. */
  async function begin(path: string, headers: Record<string, string | number>, body = Buffer.alloc(0)): Promise<void> {
    const connection = await RawConnection.open(service.url);
    open.push(connection);
    const lines = Object.entries({ host: 'a', authorization: `Bearer ${org.controller.token}`, ...headers });
    connection.write(`POST ${path} HTTP/1.1\r\n${lines.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`);
    connection.write(body);
  }

  it('is reserved before a byte of a request is read, and one organisation leaves some to the others', async () => {
    const others = await service.organisation();
    const length = { 'content-length': 1_000 };
    const authorization = `Bearer ${others.controller.token}`;
    for (let i = 0; i < REQUESTS_OF_ONE; i++) await begin('/v1/metrics/write', { ...HEADERS_1, ...length });
    await eventually(async () =>
      expect(await underWay()).toEqual({ requests: REQUESTS_OF_ONE, bytes: REQUESTS_OF_ONE * 1_000 }),
    );
    const answer = await write();
    expect([answer.status, answer.headers['retry-after']]).toEqual([503, '1']);
    expect(answer.body.code).toBe('too_many_samples');
    expect((await write(others.controller)).status).toBe(204);
    for (let i = REQUESTS_OF_ONE; i < REQUESTS; i++)
      await begin('/v1/metrics/write', { ...HEADERS_1, ...length, authorization });
    await eventually(async () => expect((await underWay()).requests).toBe(REQUESTS));
    expect((await write(others.controller)).status).toBe(503);
  });

  it('is not taken by bodies of unknown size before they arrive', async () => {
    const chunked = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' };
    for (let i = 0; i < 8; i++) await begin('/v1/metrics', chunked, Buffer.from('5\r\n{    \r\n'));
    await eventually(async () => expect((await underWay()).requests).toBe(8));
    expect((await underWay()).bytes).toBeLessThan(MIB);
    expect((await write()).status).toBe(204);
  });

  it('is taken by what a body inflates to, while it does', async () => {
    const inflated = gzipSync(blanks(LARGE));
    const headers = { 'content-type': 'application/json', 'content-encoding': 'gzip' };
    for (let i = 0; i < LARGE_OF_ONE; i++)
      await begin('/v1/metrics', { ...headers, 'content-length': inflated.length + 1 }, inflated);
    await eventually(async () => expect((await underWay()).bytes).toBe(LARGE_OF_ONE * LARGE), 30_000);
    expect(inflated.length * 5).toBeLessThan(BYTES / 20);
    const answer = await fetch(`${service.url}/v1/metrics`, {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${org.controller.token}` },
      body: new Uint8Array(inflated),
    });
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1']);
  });

  it('is taken by the samples and their rows, until these are stored', async () => {
    const now = service.clock.now().getTime();
    const series: BuiltSeries = {
      labels: { __name__: 'node_load1' },
      samples: Array.from({ length: SAMPLES }, (_, n) => [now - n, 1]),
    };
    const body = body1(series);
    const holder = await service.db.connect();
    try {
      await holder.query('begin');
      await holder.query('lock table grouped_samples in access exclusive mode');
      const answer = org.controller.send('post', '/v1/metrics/write', body, HEADERS_1);
      const isRead = body.length + message1(series).length;
      await eventually(async () =>
        expect((await underWay()).bytes).toBeGreaterThanOrEqual(isRead + SAMPLES * BYTES_OF_A_SAMPLE),
      );
      await holder.query('rollback');
      expect((await answer).status).toBe(204);
    } finally {
      await holder.query('rollback');
      holder.release();
    }
  });

  it('is given back if the client leaves before it was authenticated', async () => {
    const holder = await service.db.connect();
    const stranger = await service.organisation();
    try {
      await holder.query('begin');
      await holder.query('lock table access_tokens in access exclusive mode');
      const authorization = `Bearer ${stranger.controller.token}`;
      await eventually(async () => {
        const { rows } = await service.db.query('select from pg_locks where not granted');
        if (rows.length > 0) return;
        // None yet, or it was refused while this process was busy.
        for (const connection of open.splice(0)) connection.close();
        await begin('/v1/metrics/write', { ...HEADERS_1, authorization, 'content-length': 1_000 });
        throw new Error('no request waits for the lock');
      });
      for (const connection of open.splice(0)) connection.close();
      // The service notices before its database replies.
      await service.as(undefined).get('/livez');
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    // The next request proves that the previous one was processed.
    expect((await write(stranger.controller)).status).toBe(204);
    expect((await underWay()).requests).toBe(0);
  });
});
