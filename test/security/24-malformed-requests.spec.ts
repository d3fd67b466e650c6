import { printFigures, recordFigure } from '../support/figures';
import { RawConnection } from '../support/raw-http';
import { Service } from '../support/service';

const POST = 'POST /v1/cluster HTTP/1.1\r\nHost: service\r\nContent-Type: application/json\r\n';
const GET = 'GET /livez HTTP/1.1\r\n';
const HOST = 'Host: service\r\n';

/** Requests that proxies and servers might read differently. */
const CASES: readonly (readonly [what: string, request: string])[] = [
  ['a length and chunks', `${POST}Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['two lengths', `${POST}Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}x`],
  ['a transfer encoding that does not exist', `${POST}Transfer-Encoding: xchunked\r\n\r\n{}`],
  ['chunks that are not last', `${POST}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
  ['a transfer encoding that nobody decodes', `${POST}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`],
  ['two transfer encodings', `${POST}Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n`],
  ['chunks in HTTP/1.0', `${POST.replace('1.1', '1.0')}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['HTTP/0.9', 'GET /livez\r\n\r\n'],
  ['a space before the colon', `${POST}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n`],
  ['a folded header', `${GET}${HOST}X-A: 1\r\n folded\r\n\r\n`],
  ['lines that end with LF', 'GET /livez HTTP/1.1\nHost: service\nX: y\n\n'],
  ['LF in a value', `${GET}${HOST}X-A: a\nb\r\n\r\n`],
  ['a signed length', `${POST}Content-Length: +2\r\n\r\n{}`],
  ['NUL in a value', `${GET}${HOST}X-A: a\0b\r\n\r\n`],
  ['no host', `${GET}\r\n`],
  ['two hosts', `${GET}${HOST}Host: other\r\n\r\n`],
  ['two bearers', `${GET}${HOST}Authorization: Bearer a\r\nAuthorization: Bearer b\r\n\r\n`],
  ['two content types', `${POST}Content-Type: text/plain\r\nContent-Length: 2\r\n\r\n{}`],
  ['a whole address as target', `GET http://other/livez HTTP/1.1\r\n${HOST}\r\n`],
  ['17 KB of headers', `${GET}${HOST}X-A: ${'x'.repeat(17_000)}\r\n\r\n`],
  [
    'a flood of chunk extensions',
    `${POST}Transfer-Encoding: chunked\r\n\r\n2;${'x'.repeat(70_000)}\r\n{}\r\n0\r\n\r\n`,
  ],
];

describe('a malformed request', () => {
  let service: Service;
  let refused = 0;

  beforeAll(async () => {
    service = await Service.start();
  });
  afterAll(async () => {
    await service.close();
    printFigures();
  });

  it.each(CASES)('is refused: %s', async (_what, request) => {
    const connection = await RawConnection.open(service.url);
    try {
      connection.write(request);
      const { status } = await connection.answer();
      // Not 401: that is the answer to a request that was understood.
      expect([400, 431]).toContain(status);
      await connection.closed();
      refused++;
    } finally {
      connection.close();
    }
    expect((await service.admin.get('/v1/user')).status).toBe(200);
  });

  it('a malformed request of each kind was tried', () => {
    const attack = 'requests that proxies and servers might read differently';
    recordFigure({
      row: 24,
      attack,
      measure: 'refused with 4xx',
      value: refused,
      unit: `of ${CASES.length}`,
      bound: { atLeast: CASES.length },
    });
  });
});
