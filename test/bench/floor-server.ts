import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { activationWork } from './activation.floor';
import { authorizeWork } from './authorize.floor';
import { bearerOf, type Answer, type Work } from './floor';
import { routesWork } from './routes.floor';

/** Serves the floor of floor.ts. */

const WORK: Record<string, Work> = { ...activationWork, ...routesWork, ...authorizeWork };

async function answer(request: IncomingMessage, body: string): Promise<Answer> {
  const work = WORK[request.url ?? ''];
  if (!work) return { status: 404 };
  const bearer = await bearerOf(request.headers.authorization ?? '');
  return bearer ? work(bearer, body) : { status: 401 };
}

function send(response: ServerResponse, { status, body }: Answer): void {
  if (body === undefined) response.writeHead(status).end();
  else {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
    response.writeHead(status, headers).end(body);
  }
}

const server = createServer((request: IncomingMessage, response: ServerResponse) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const body = chunks.length === 1 ? String(chunks[0]) : Buffer.concat(chunks).toString();
    answer(request, body).then(
      (answered) => send(response, answered),
      (error: unknown) => response.writeHead(500).end(String(error)),
    );
  });
});
server.listen(0, '127.0.0.1', () => {
  console.log(`floor: http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit(0));
