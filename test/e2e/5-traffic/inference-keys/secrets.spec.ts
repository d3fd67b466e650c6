import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';
import { createApplication } from '../../../../src/application';
import { newId } from '../../../../src/1-platform/common/ids';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { eventually } from '../../../support/eventually';
import { authorize, buildModel, saveRoute, targetsOf } from '../../../support/inference';
import { report } from '../../../support/profiles';
import { Caller, Service, type Organisation } from '../../../support/service';

describe('the secret of an inference key', () => {
  let service: Service;
  let app: NestExpressApplication;
  let org: Organisation;
  let operator: Caller;
  let url: string;
  const logged: string[] = [];

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
    // All that the service writes, as raw text.
    const logger = createLogger('trace');
    Object.defineProperty(logger, pino.symbols.streamSym, { value: { write: (line: string) => logged.push(line) } });
    app = await createApplication(service.environment, logger, service.clock);
    await app.listen(0, '127.0.0.1');
    url = await app.getUrl();
    operator = new Caller(url, org.operator.token);
  });
  afterAll(async () => {
    await app.close();
    await service.close();
  });

  /** Every row of every table, including the queue's, as one text. */
  async function dump(): Promise<string> {
    const { rows: tables } = await service.db.query<{ name: string }>(
      `select format('%I.%I', n.nspname, c.relname) as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
       where c.relkind = 'r' and n.nspname not in ('pg_catalog', 'information_schema') and n.nspname not like 'pg_toast%'`,
    );
    const texts: string[] = [];
    for (const { name } of tables) {
      const { rows } = await service.db.query<{ row: string }>(`select t::text as row from ${name} t`);
      texts.push(name, ...rows.map(({ row }) => row));
    }
    return texts.join('\n');
  }

  it('is in no table, no audit entry, no reply and no line of the log', async () => {
    const answers: string[] = [];
    const send = async (caller: Caller, method: string, path: string, body?: unknown, headers = {}) => {
      const answer = await caller.send(method, path, body, headers);
      answers.push(answer.text, JSON.stringify(answer.headers));
      return answer;
    };
    const { model, profileIds } = await buildModel(org);
    const once = { 'idempotency-key': newId() };
    const { body: issued } = await operator.post('/v1/inference/keys', { name: 'secret', models: [model] }, once);
    const { key_id: keyId, raw_key: rawKey } = issued as { key_id: string; raw_key: string };
    const key = new Caller(url, rawKey);

    // Normal use, and everything that can go wrong.
    await report(org.controller, profileIds[0] ?? '', { endpoint: 'http://worker.invalid:8000' });
    await saveRoute(org.operator, 'other', { targets: targetsOf(...profileIds) });
    expect((await send(key, 'get', '/v1/inference/models')).status).toBe(200);
    expect((await authorize(key, model)).status).toBe(200);
    const chat = (of: string) =>
      send(
        key,
        'post',
        '/v1/inference/chat/completions',
        { model: of, messages: [] },
        { 'x-request-timeout-ms': '2000' },
      );
    expect((await chat(model)).status).toBe(503);
    expect((await chat('other')).status).toBe(403);
    expect((await send(key, 'post', '/v1/inference/chat/completions', '{"model":')).status).toBe(400);
    expect((await send(key, 'get', '/v1/inference/keys')).status).toBe(403);
    expect((await send(key, 'get', `/v1/nowhere?key=${rawKey}`)).status).toBe(404);
    expect((await send(new Caller(url, `${rawKey}x`), 'get', '/v1/inference/models')).status).toBe(401);
    expect((await send(operator, 'delete', `/v1/inference/keys/${rawKey}`)).status).toBe(404);
    // A caller who mixes up name and value. The answer repeats to the caller what it sent; the log must not.
    const mixedUp = await operator.post('/v1/inference/keys', { name: 'secret', [rawKey]: 1 });
    expect(mixedUp.body.errors).toEqual([{ field: rawKey, message: 'is not a member of this body' }]);
    await send(operator, 'get', '/v1/audit?limit=1000');
    await send(operator, 'get', '/v1/inference/keys');
    await send(operator, 'get', '/metrics');
    // The database fails during a look-up.
    await service.db.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'checkpoint-control-plane'",
    );
    await send(new Caller(url, rawKey), 'get', '/v1/inference/models');
    await eventually(async () =>
      expect((await send(operator, 'delete', `/v1/inference/keys/${keyId}`)).status).toBe(204),
    );
    expect((await send(key, 'get', '/v1/inference/models')).status).toBe(401);

    const all = { tables: await dump(), log: logged.join('\n'), answers: answers.join('\n') };
    // Each of these sources does contain something.
    expect(all.tables).toContain(keyId);
    expect(all.log).toContain('a request was refused');
    expect(all.answers).toContain(keyId);
    const secret = rawKey.slice('sk-'.length);
    for (const [name, text] of Object.entries(all)) {
      for (const form of [
        secret,
        Buffer.from(rawKey).toString('base64').slice(0, 50),
        Buffer.from(rawKey).toString('hex'),
      ])
        expect([name, text.includes(form)]).toEqual([name, false]);
    }
  });

  it('is identified only by its digest', async () => {
    const { body } = await operator.post('/v1/inference/keys', { name: 'digest' });
    const { rows } = await service.db.query<{ digest: Buffer }>('select digest from inference_keys where id = $1', [
      body.key_id,
    ]);
    const { rows: expected } = await service.db.query('select sha256($1::bytea) as digest', [
      Buffer.from(String(body.raw_key)),
    ]);
    expect(rows).toEqual(expected);
  });
});
