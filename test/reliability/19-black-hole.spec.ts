import { createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import { CHAT, createKey, question, readyProfile, type Key } from '../support/chat';
import { blackHole, deadConnections, standstill, type RecordFigure } from '../support/database-attacks';
import { DatabaseProxy } from '../support/database-proxy';
import { printFigures, recordFigure } from '../support/figures';
import { InferenceWorker } from '../support/inference-worker';
import { OwnPostgres } from '../support/own-postgres';
import { Replicas, type Replica } from '../support/replicas';
import { call, elapsed } from '../support/steady-load';

const BLACK_HOLE_MS = 15_000;
const STANDS_STILL_MS = 6_000;
const DEAD_CONNECTIONS = 10;
/** How long a request may wait for a worker. */
const PATIENCE_MS = 1_000;

describe('a dependency that swallows what it is sent', () => {
  let worker: InferenceWorker;
  let hole: Server;
  const swallowing = new Set<Socket>();
  let postgres: OwnPostgres;
  let proxy: DatabaseProxy;
  let replicas: Replicas;
  let healthy: Replica;
  let lost: Replica;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    hole = createServer((socket) => {
      swallowing.add(socket);
      socket.on('error', () => socket.destroy()).resume();
    });
    hole.listen(0, '127.0.0.1');
    await once(hole, 'listening');
    postgres = await OwnPostgres.create();
    proxy = await DatabaseProxy.before(postgres.url);
    const allowed = ['llama-8b.models.svc', worker.host, `127.0.0.1:${(hole.address() as AddressInfo).port}`];
    const variables = { LOG_LEVEL: 'fatal', WORKER_ENDPOINT_ALLOW: allowed.join() };
    replicas = await Replicas.on({ url: postgres.url, drop: () => postgres.remove() }, 1, variables);
    healthy = replicas.of(0);
    lost = await replicas.add({ DATABASE_URL: proxy.url });
  });
  afterAll(async () => {
    await proxy.close();
    await replicas.close();
    for (const socket of swallowing) socket.destroy();
    hole.close();
    await worker.close();
    printFigures();
  });

  const record: RecordFigure = (attack, measure, value, unit, bound) =>
    recordFigure({ row: 19, attack, measure, value, unit, bound });

  it(
    'delays nobody if it is the database of one replica, and the other replica goes on serving',
    () => blackHole(record, { replicas, healthy, lost, proxy }, BLACK_HOLE_MS),
    120_000,
  );

  it(
    'delays one request by little more than a second, and no other, when it is one connection to the database',
    () => deadConnections(record, { replicas, healthy, lost, proxy }, DEAD_CONNECTIONS),
    120_000,
  );

  it('delays a request no longer than the request allows if it is a worker', async () => {
    const org = replicas.organisation(healthy);
    const url = `http://127.0.0.1:${(hole.address() as AddressInfo).port}`;
    const model = await replicas.routeTo([await readyProfile(org, { url })]);
    const key: Key = await createKey(org, { budget_usd: 1_000 });
    const callers = 50;
    const replies = await Promise.all(
      Array.from({ length: callers }, () =>
        call(healthy, CHAT, question(model), key.raw_key, { 'x-request-timeout-ms': String(PATIENCE_MS) }),
      ),
    );
    expect(replies.filter(({ status }) => status < 500 || status === 500)).toEqual([]);
    const attack = `${callers} chats to a worker that never answers, with ${PATIENCE_MS} ms each`;
    record(attack, 'slowest reply after that time', Math.max(...elapsed(replies)) - PATIENCE_MS, 'ms', {
      atMost: 250,
    });
  });

  it(
    'reports a database that stands still to every caller quickly',
    () => standstill(record, { replicas, replica: healthy, postgres, worker }, STANDS_STILL_MS),
    120_000,
  );
});
