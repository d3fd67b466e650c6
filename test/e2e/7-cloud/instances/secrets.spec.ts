import type { NestExpressApplication } from '@nestjs/platform-express';
import { pino } from 'pino';
import { createApplication } from '../../../../src/application';
import { newId } from '../../../../src/1-platform/common/ids';
import type { JsonObject } from '../../../../src/1-platform/common/json/json';
import { createLogger } from '../../../../src/1-platform/common/logger';
import { Sweeps } from '../../../../src/1-platform/scheduling/sweeps';
import { age, createInstance, INSTANCES, listed, outdate } from '../../../support/instances';
import { Marketplace, MARKETPLACE_KEY, type Behaviour, type MarketplaceAsk } from '../../../support/marketplace';
import { Caller, Service, type Answer } from '../../../support/service';

const SCRIPT = 'curl -H swordfish-of-the-script';

/** Recognisable in any output, in whole or in part. */
const SECRETS = {
  envs: 'swordfish-of-the-environment',
  inner: 'swordfish-of-the-container',
  args: '--api-key swordfish-of-the-arguments',
  username: 'swordfish-of-the-user',
  password: 'swordfish-of-the-registry',
  script: Buffer.from(SCRIPT).toString('base64'),
};

/** Part of every secret: no text of the service contains it. */
const MARKS = ['swordfish', SECRETS.script.slice(0, 12), SECRETS.script.slice(12, 30), MARKETPLACE_KEY];

const WITH_SECRETS: JsonObject = {
  envs: [{ name: 'TOKEN', value: SECRETS.envs }],
  launch_configuration: {
    type: 'docker',
    docker_configuration: {
      image: 'private/image',
      args: SECRETS.args,
      envs: [{ name: 'INNER', value: SECRETS.inner }],
      registry_credentials: { username: SECRETS.username, password: SECRETS.password },
    },
    script_configuration: { base64_script: SECRETS.script },
  },
};

/** A marketplace that repeats the request, including its key. */
const echo = (status: number): Behaviour => ({
  status,
  body: ({ body, headers }: MarketplaceAsk) => ({
    message: `cannot take ${JSON.stringify(body)} with ${String(headers['x-api-key'])}`,
    error: String(headers['x-api-key']),
    request: body,
  }),
});

const say = (message: string): Behaviour => ({ status: 400, body: { message } });

const FAULTS: [string, Behaviour][] = [
  ['accepted', {}],
  ['refused with an echo', echo(400)],
  ['refused with a partial echo', say('bad value swordfish-of-the-envir...')],
  ['refused with the echo of the script', say('line 1: curl -H swordfish-of')],
  ['refused with the echo of the encoded script', say(`bad script ${SECRETS.script.slice(0, 20)}`)],
  ['refused with the key', say(`bad key ${MARKETPLACE_KEY.slice(0, 12)}`)],
  ['without capacity, with an echo', say(`no capacity for ${SECRETS.password}`)],
  ['refused the key with an echo', echo(401)],
  ['busy with an echo', echo(429)],
  ['failing with an echo', echo(500)],
  ['accepted with an echo', echo(200)],
  ['cut before', { cut: 'before' }],
  ['cut after', { cut: 'after' }],
  ['silent', { before: () => new Promise(() => undefined) }],
  ['redirecting', { status: 302, headers: { location: `http://${SECRETS.password}/` } }],
];

describe('a secret', () => {
  let service: Service;
  let market: Marketplace;
  let app: NestExpressApplication;
  let operator: Caller;
  const logged: string[] = [];
  const answers: string[] = [];

  beforeAll(async () => {
    market = await Marketplace.start();
    service = await Service.start({ marketplace: market.settings({ timeoutMs: 500 }) });
    const org = await service.organisation();
    // All that the service writes, as raw text.
    const logger = createLogger('trace');
    Object.defineProperty(logger, pino.symbols.streamSym, { value: { write: (line: string) => logged.push(line) } });
    app = await createApplication(service.environment, logger, service.clock);
    await app.listen(0, '127.0.0.1');
    operator = new Caller(await app.getUrl(), org.operator.token);
  });
  afterAll(async () => {
    await app.close();
    await service.close();
    await market.close();
  });

  const noted = async (sent: Promise<Answer>): Promise<Answer> => {
    const answer = await sent;
    answers.push(answer.text, JSON.stringify(answer.headers));
    return answer;
  };
  const read = (path: string) => noted(operator.get(`${INSTANCES}${path}`));
  const create = () => noted(createInstance(operator, WITH_SECRETS, { 'idempotency-key': newId() }));

  it('appears nowhere, whatever the marketplace does', async () => {
    const asked: string[] = [];
    for (const [, behaviour] of FAULTS) {
      market.reset();
      market.behaves('create', behaviour);
      const { body } = await create();
      asked.push(JSON.stringify(market.asked('create')));
      market.behavesAgain();
      await outdate(service);
      for (const { id } of await listed(operator)) await read(`/${String(id)}/status`);
      await read('');
      if (body.instance_id) await noted(operator.delete(`${INSTANCES}/${body.instance_id}`));
    }
    for (const behaviour of [echo(400), echo(401), echo(500), echo(200), { cut: 'before' } as const]) {
      market.reset();
      const { instance_id: id } = (await create()).body as { instance_id: string };
      market.allBehave(behaviour);
      await outdate(service);
      for (const path of ['', '/types', '/bursting-status', `/${id}/status`]) await read(path);
      await noted(operator.delete(`${INSTANCES}/${id}`));
      await age(service, '11 minutes');
      await app.get(Sweeps).runNow('instances');
    }
    // An error of our own: the database refuses a row, and its message repeats the row.
    market.reset();
    await service.db.query("alter table instances add constraint none check (phase <> 'recorded') not valid");
    expect((await create()).status).toBe(500);
    await service.db.query('alter table instances drop constraint none');
    await noted(operator.get('/v1/audit?limit=1000'));
    await noted(service.as(undefined).get('/metrics'));

    expect(logged.join('')).toContain('it is not known whether a machine was made');
    expect(logged.join('')).toContain('a deletion was not requested');
    for (const mark of MARKS) {
      expect([mark, answers.filter((answer) => answer.includes(mark))]).toEqual([mark, []]);
      expect([mark, logged.filter((line) => line.includes(mark))]).toEqual([mark, []]);
      expect([mark, await tablesHolding(mark)]).toEqual([mark, []]);
    }
    // Values that are not secret are stored and shown, so the test can find them; and the marketplace
    // received all secrets.
    expect(await tablesHolding('private/image')).toEqual(['instances']);
    expect(answers.filter((answer) => answer.includes('private/image'))).not.toEqual([]);
    for (const mark of MARKS) expect([mark, asked.every((ask) => ask.includes(mark))]).toEqual([mark, true]);
  });

  /** Tables of the service and of its queue that contain a text. */
  async function tablesHolding(text: string): Promise<string[]> {
    const { rows } = await service.db.query<{ name: string }>(
      "select format('%I.%I', schemaname, tablename) as name from pg_tables where schemaname in ('public', 'pgboss')",
    );
    const found = [];
    for (const { name } of rows) {
      const { rowCount } = await service.db.query(`select from ${name} t where position($1 in t::text) > 0 limit 1`, [
        text,
      ]);
      if (rowCount) found.push(name.replace('public.', ''));
    }
    return found;
  }
});
