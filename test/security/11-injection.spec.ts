import { operations } from '../support/description';
import { newId } from '../../src/1-platform/common/ids';
import { printFigures, recordFigure } from '../support/figures';
import { inForm } from '../support/form';
import { onThisMachine } from '../support/machine';
import { Service, type Organisation } from '../support/service';

/** Each would make PostgreSQL wait for three seconds if it became a part of a statement. */
const WAITS = [
  "'||(select pg_sleep(3))||'",
  "' or pg_sleep(3) is null--",
  "';select pg_sleep(3)--",
  '1;select pg_sleep(3)',
  '1 and 1=(select 1 from pg_sleep(3))',
  '"||pg_sleep(3)||"',
  '$$||pg_sleep(3)||$$',
  "\\';select pg_sleep(3)--",
  'id;select pg_sleep(3)',
];

describe('text that would be SQL', () => {
  let service: Service;
  let org: Organisation;

  beforeAll(async () => {
    service = await Service.start();
    org = await service.organisation();
  });
  afterAll(async () => {
    await service.close();
    printFigures();
  });

  it('refuses a bearer at once that would be SQL', async () => {
    let slowest = 0;
    await service.as(undefined).get('/v1/user', { authorization: 'Bearer x' });
    for (const bearer of WAITS) {
      const began = performance.now();
      const { status } = await service.as(undefined).get('/v1/user', { authorization: `Bearer ${bearer}` });
      slowest = Math.max(slowest, performance.now() - began);
      expect([bearer, status]).toEqual([bearer, 401]);
    }
    const attack = `${WAITS.length} bearers with pg_sleep`;
    recordFigure({
      row: 11,
      attack,
      measure: 'slowest reply',
      value: slowest,
      unit: 'ms',
      bound: { atMost: inForm(onThisMachine(100), 100) },
    });
  });

  it('lets no parameter of any operation become part of a statement', async () => {
    let [slowest, sent] = [0, 0];
    const failed: unknown[] = [];
    for (const { method, path, parameters, requestBody } of operations()) {
      const places = parameters.filter((one) => one.in === 'path' || one.in === 'query');
      for (const { name, in: where } of places)
        for (const text of WAITS.slice(0, inForm(2, WAITS.length))) {
          const filled = path.replace(/\{([^}]+)\}/g, (_all, one: string) =>
            where === 'path' && one === name ? encodeURIComponent(text) : newId(),
          );
          const query = where === 'query' ? `?${name}=${encodeURIComponent(text)}` : '';
          const began = performance.now();
          const { status } = await org.admin.send(method, filled + query, requestBody ? {} : undefined, {});
          slowest = Math.max(slowest, performance.now() - began);
          sent++;
          if (status >= 500) failed.push([method, filled + query, status]);
        }
    }
    expect(failed.filter((one) => (one as unknown[])[2] === 500)).toEqual([]);
    const attack = `${sent} requests with pg_sleep in a parameter of a query or path`;
    recordFigure({ row: 11, attack, measure: 'slowest reply', value: slowest, unit: 'ms', bound: { atMost: 2_900 } });
    recordFigure({
      row: 11,
      attack,
      measure: 'requests',
      value: sent,
      unit: '',
      bound: { atLeast: inForm(700, 3_000) },
    });
  });
});
