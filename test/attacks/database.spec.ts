import {
  blackHole,
  deadConnections,
  restarts,
  standstill,
  terminations,
  type RecordFigure,
} from '../support/database-attacks';
import { DatabaseProxy } from '../support/database-proxy';
import { expectFigure, printFigures } from '../support/figures';
import { InferenceWorker } from '../support/inference-worker';
import { OwnPostgres } from '../support/own-postgres';
import { Replicas, type Replica } from '../support/replicas';

/** Rows 18 and 19 of docs/reliability.md do the same for longer. */
const RESTARTS = { times: 10, withinMs: 30_000, atLeast: 3 };
const TERMINATIONS = { lastsMs: 5_000, atLeast: 20 };
const BLACK_HOLE_MS = 5_000;
const STANDS_STILL_MS = 4_000;
const DEAD_CONNECTIONS = 2;

describe('a database that fails', () => {
  let worker: InferenceWorker;
  let postgres: OwnPostgres;
  let proxy: DatabaseProxy;
  let replicas: Replicas;
  let replica: Replica;
  let lost: Replica;

  beforeAll(async () => {
    worker = await InferenceWorker.start();
    postgres = await OwnPostgres.create();
    proxy = await DatabaseProxy.before(postgres.url);
    const variables = { LOG_LEVEL: 'fatal', WORKER_ENDPOINT_ALLOW: `llama-8b.models.svc,${worker.host}` };
    replicas = await Replicas.on({ url: postgres.url, drop: () => postgres.remove() }, 1, variables);
    replica = replicas.of(0);
    lost = await replicas.add({ DATABASE_URL: proxy.url });
  });
  afterAll(async () => {
    await proxy.close();
    await replicas.close();
    await worker.close();
    printFigures();
  });

  const record: RecordFigure = (attack, measure, value, unit, bound) =>
    expectFigure({ attack, measure, value, unit, bound });

  it(
    'delays nobody behind a black hole, and leaves the other replica serving',
    () => blackHole(record, { replicas, healthy: replica, lost, proxy }, BLACK_HOLE_MS),
    60_000,
  );

  it(
    'delays one request only when the packets of its connection are lost',
    () => deadConnections(record, { replicas, healthy: replica, lost, proxy }, DEAD_CONNECTIONS),
    60_000,
  );

  it(
    'is reported to every caller quickly when it stands still',
    () => standstill(record, { replicas, replica, postgres, worker }, STANDS_STILL_MS),
    60_000,
  );

  it('ends no process by closing connections', () => terminations(record, { postgres, replica }, TERMINATIONS), 60_000);

  it('ends no process by restarts', () => restarts(record, { postgres, replica }, RESTARTS), 90_000);
});
