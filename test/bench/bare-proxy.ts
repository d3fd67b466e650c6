import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Pool } from 'undici';

/** The least that a proxy in Node can do: it passes each request on to `TARGET`, and checks nothing. */

const CONNECTIONS = 64;

const pool = new Pool(process.env.TARGET ?? '', { connections: CONNECTIONS });

const server = createServer({ noDelay: true }, (request, response) => {
  const { url = '/', method = 'GET' } = request;
  const headers = { 'content-type': 'application/json', 'content-length': request.headers['content-length'] };
  pool.stream(
    { path: url, method, headers, body: request },
    ({ statusCode, headers: { connection: _connection, 'keep-alive': _keepAlive, ...passed } }) =>
      response.writeHead(statusCode, passed),
    (error) => void (error && response.destroy(error)),
  );
});
server.listen(0, '127.0.0.1', () => {
  console.log(`bare proxy: http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit(0));
