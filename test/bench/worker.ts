import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { DONE, EVENTS, PACES, USAGE_EVENT, WHOLE } from './worker-answers';

/** An inference worker without a model. It separates its own time from that of the proxy in front of it. */

interface Asked {
  model: string;
  stream?: boolean;
  stream_options?: { include_usage?: boolean };
}

const WHOLE_HEADERS = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(WHOLE) };
const STREAM_HEADERS = { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' };

/** Open streams, and their maximum since the last query. */
let open = 0;
let mostOpen = 0;

function stream(response: ServerResponse, everyMs: number, reportsUsage: boolean): void {
  mostOpen = Math.max(mostOpen, ++open);
  response.writeHead(200, STREAM_HEADERS);
  let next = 0;
  const report = (): void => {
    const event = EVENTS[next++];
    if (event !== undefined) response.write(event);
    else response.end(reportsUsage ? USAGE_EVENT + DONE : DONE);
  };
  report();
  const timer = setInterval(report, everyMs);
  response.on('close', () => {
    clearInterval(timer);
    open--;
  });
}

function answer(response: ServerResponse, body: string): void {
  const { model, stream: streamed, stream_options: options } = JSON.parse(body) as Asked;
  const everyMs = PACES[model];
  if (everyMs === undefined) response.writeHead(404).end();
  else if (streamed) stream(response, everyMs, options?.include_usage === true);
  else response.writeHead(200, WHOLE_HEADERS).end(WHOLE);
}

const server = createServer({ noDelay: true }, (request, response) => {
  if (request.url === '/most-open') {
    response.end(String(mostOpen));
    mostOpen = open;
    return;
  }
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => answer(response, Buffer.concat(chunks).toString()));
});
server.listen({ port: 0, host: '127.0.0.1', backlog: 4_096 }, () => {
  console.log(`worker: http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.on('SIGTERM', () => process.exit(0));
