import * as fc from 'fast-check';
import { newId } from '../../src/1-platform/common/ids';
import { printFigures, recordFigure } from '../support/figures';
import { inForm, SEED } from '../support/form';
import { Service, type Organisation } from '../support/service';

const VALUES = inForm(40, 1_000);

/** Names that JavaScript treats specially are as good as others. */
const NAMES = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'toJSON', 'length', ''),
  fc.string({ maxLength: 8 }),
);
const { value: VALUE } = fc.letrec<{ value: unknown; members: [string, unknown][] }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    fc.constantFrom(null, true, false, 0, -1, 9007199254740991, 0.1, 1e-7, '', 'x'),
    fc.string({ unit: 'grapheme', maxLength: 12 }),
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => (Object.is(number, -0) ? 0 : number)),
    fc.array(tie('value'), { maxLength: 5 }),
    // Like a parser does it: `__proto__` is a member of its own.
    tie('members').map(
      (members) =>
        JSON.parse(`{${members.map(([n, v]) => `${JSON.stringify(n)}:${JSON.stringify(v)}`).join()}}`) as unknown,
    ),
  ),
  members: fc.uniqueArray(fc.tuple(NAMES, tie('value')), { maxLength: 6, selector: ([name]) => name }),
}));

describe('JSON that the service only keeps', () => {
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

  it('comes back unchanged, or is refused', async () => {
    let [kept, refused] = [0, 0];
    const before = Object.getOwnPropertyNames(Object.prototype).sort();
    await fc.assert(
      fc.asyncProperty(VALUE, async (value) => {
        const created = await org.controller.post('/v1/checkpoints', { name: newId() });
        const text = JSON.stringify(value);
        const path = `/v1/checkpoints/info/${created.text}`;
        const { status } = await org.controller.put(path, `{"gpu":"","platform":"","info":${text}}`);
        // Text that PostgreSQL cannot store is refused as a whole.
        if (status === 400) {
          expect(text).toMatch(/\\u0000|\\ud[89a-f]/i);
          refused++;
          return;
        }
        expect([text, status]).toEqual([text, 200]);
        const back = (await org.viewer.get(`/v1/checkpoints?ids=${created.text}`)).body as { info: unknown }[];
        expect(JSON.stringify(back[0]?.info)).toBe(text);
        kept++;
      }),
      { numRuns: VALUES, seed: SEED },
    );
    expect(Object.getOwnPropertyNames(Object.prototype).sort()).toEqual(before);
    const attack = `${VALUES} random values, seed ${SEED}`;
    recordFigure({
      row: 28,
      attack,
      measure: 'kept unchanged, or refused',
      value: kept + refused,
      unit: '',
      bound: { atLeast: VALUES },
    });
    recordFigure({ row: 28, attack, measure: 'refused', value: refused, unit: '', bound: { atMost: VALUES / 4 } });
  }, 600_000);
});
