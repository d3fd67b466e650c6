import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { newId } from '../../src/1-platform/common/ids';
import { createLogger } from '../../src/1-platform/common/logger';
import { EmbeddedServer } from '../../src/1-platform/database/embedded/embedded-server';
import { bind } from '../../src/1-platform/database/transactions/statement';
import { APPEND } from '../../src/1-platform/outbox/outbox.queries';
import { describeWith } from '../support/components';
import { ask } from '../support/replicas';
import { start, type Start } from '../support/start';
import { expectFigure, percentile, printFigures } from '../support/figures';

const HOME = '/usr/lib/postgresql/15';
const TOKEN = `ccp_${'v'.repeat(43)}`;
const EVENTS = 60;
const ORGANISATIONS = 8;

interface Consumer {
  readonly orgId: string;
  readonly token: string;
}

describeWith(['PostgreSQL 15'], 'events on PostgreSQL 15', () => {
  let directory: string;
  let database: EmbeddedServer;
  let service: Start;
  let url: string;
  let db: pg.Pool;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'control-plane-15-'));
    chmodSync(directory, 0o755);
    database = await EmbeddedServer.start(directory, createLogger('silent'), { home: HOME });
    service = start({ DATABASE_URL: database.url, BOOTSTRAP_TOKEN: TOKEN });
    url = await service.address();
    db = new pg.Pool({ connectionString: database.url, max: ORGANISATIONS, options: '-c app.system=on' });
  });
  afterAll(async () => {
    printFigures();
    service.kill();
    await service.exit;
    await db.end();
    await database.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  async function consumer(name: string): Promise<Consumer> {
    const created = await ask({ url }, TOKEN, '/v1/organisations', { name });
    const { id } = JSON.parse(created.text) as { id: string };
    const minted = await ask({ url }, TOKEN, '/v1/tokens', { name, role: 'controller', organisation_id: id });
    expect([created.status, minted.status]).toEqual([201, 201]);
    return { orgId: id, token: (JSON.parse(minted.text) as { raw_token: string }).raw_token };
  }

  /** Milliseconds from the commit of each event to the end of the reply to a waiting consumer. */
  async function latencies({ orgId, token }: Consumer): Promise<number[]> {
    const found: number[] = [];
    let cursor = 0;
    for (let n = 0; n < EVENTS; n++) {
      const answer = ask({ url }, token, `/v1/inference/outbox?consumer_id=c&after=${cursor}&wait_ms=20000`);
      await sleep(20);
      await db.query(
        bind(APPEND, {
          org_id: orgId,
          id: newId(),
          type: 'test.happened',
          aggregate_id: 'a',
          cluster_id: null,
          payload: {},
        }),
      );
      const committed = performance.now();
      const { status, text, answeredAt } = await answer;
      expect(status).toBe(200);
      cursor = (JSON.parse(text) as { id: number }[]).at(-1)?.id ?? cursor;
      found.push(answeredAt - committed);
      await ask({ url }, token, '/v1/inference/outbox/ack', { consumer_id: 'c', event_id: cursor });
    }
    return found;
  }

  it('events reach a waiting consumer on an idle service', async () => {
    const found = await latencies(await consumer('alone'));
    expectFigure({
      attack: 'an event on PostgreSQL 15, idle',
      measure: 'p50 from its commit to the answer',
      value: percentile(found, 0.5),
      unit: 'ms',
      bound: { atMost: 50 },
    });
  });

  it('events reach consumers of several organisations at the same time', async () => {
    const consumers = await Promise.all(Array.from({ length: ORGANISATIONS }, (_, n) => consumer(`one of many ${n}`)));
    const found = (await Promise.all(consumers.map(latencies))).flat();
    expectFigure({
      attack: `events of ${ORGANISATIONS} organisations on PostgreSQL 15`,
      measure: 'p50 from their commit to the answer',
      value: percentile(found, 0.5),
      unit: 'ms',
      bound: { atMost: 150 },
    });
  });
});
