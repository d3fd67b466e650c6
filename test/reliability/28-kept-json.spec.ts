import * as fc from 'fast-check';
import { newId } from '../../src/1-platform/common/ids';
import { printFigures, recordFigure } from '../support/figures';
import { inForm, SEED } from '../support/form';
import { Service, type Organisation } from '../support/service';

const VALUES = inForm(40, 1_000);
const DEEP_VALUES = inForm(10, 100);

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

  /** As the limits of bodies in docs/decisions.md say: kept, or refused with 400 or 413. */
  const LEVELS = 199;
  const DEEP_AND_LARGE: readonly [what: string, text: string, isKept: boolean][] = [
    ['199 levels of arrays', nested(Array<boolean>(LEVELS).fill(true)), true],
    ['199 levels of objects', nested(Array<boolean>(LEVELS).fill(false)), true],
    ['200 levels', nested(Array<boolean>(LEVELS + 1).fill(true)), false],
    ['100,000 levels', nested(Array<boolean>(100_000).fill(true)), false],
    ['a text of 260,000 characters', JSON.stringify('x'.repeat(260_000)), true],
    ['a text of 260,000 bytes that are not ASCII', JSON.stringify('\u{1f600}'.repeat(65_000)), true],
    ['a text of 300,000 characters', JSON.stringify('x'.repeat(300_000)), false],
    ['an object of 10,000 members', objectOf(10_000), true],
    ['an object of 10,001 members', objectOf(10_001), false],
    ['an array of 125,000 numbers', `[${Array<string>(125_000).fill('7').join()}]`, true],
    ['80,000 empty arrays', `[${Array<string>(80_000).fill('[]').join()}]`, true],
    ['100,000 empty arrays', `[${Array<string>(100_000).fill('[]').join()}]`, false],
    ['a number of 60,000 digits', '7'.repeat(60_000), true],
    ['a number of 70,000 digits', '7'.repeat(70_000), false],
    ['a number with a large exponent', '1e400', true],
  ];

  /** Whether it comes back with every byte; or how it was refused. */
  async function sent(text: string): Promise<number | 'kept' | 'changed'> {
    const { text: id } = await org.controller.post('/v1/checkpoints', { name: newId() });
    const body = `{"gpu":"","platform":"","info":${text}}`;
    const { status } = await org.controller.put(`/v1/checkpoints/info/${id}`, body);
    if (status !== 200) return status;
    const back = (await org.viewer.get(`/v1/checkpoints?ids=${id}`)).text;
    return back.includes(`"info":${text},`) || back.includes(`"info":${text}}`) ? 'kept' : 'changed';
  }

  it('comes back unchanged, or is refused, if it is deep or large', async () => {
    const faults: unknown[] = [];
    for (const [what, text, isKept] of DEEP_AND_LARGE) {
      const found = await sent(text);
      if (isKept ? found !== 'kept' : found !== 400 && found !== 413) faults.push([what, found]);
    }
    expect(faults).toEqual([]);
    let [kept, refused] = [0, 0];
    const levels = fc.array(fc.boolean(), { minLength: 150, maxLength: 250 });
    await fc.assert(
      fc.asyncProperty(levels, async (ways) => {
        const found = await sent(nested(ways));
        if (ways.length <= LEVELS) expect(found).toBe('kept');
        else expect(found).toBe(400);
        if (found === 'kept') kept++;
        else refused++;
      }),
      { numRuns: DEEP_VALUES, seed: SEED },
    );
    const attack = `${DEEP_AND_LARGE.length} deep and large values, and ${DEEP_VALUES} random ones of 150 to 250 levels, seed ${SEED}`;
    const value = DEEP_AND_LARGE.length - faults.length + kept + refused;
    const bound = { atLeast: DEEP_AND_LARGE.length + DEEP_VALUES };
    recordFigure({ row: 28, attack, measure: 'kept unchanged, or refused as documented', value, unit: '', bound });
    recordFigure({
      row: 28,
      attack,
      measure: 'of the random ones, kept',
      value: kept,
      unit: '',
      bound: { atLeast: 1 },
    });
  }, 600_000);
});

/** Arrays and objects in each other. @param isArray for each level, from the outermost one */
function nested(isArray: readonly boolean[]): string {
  const open = isArray.map((is) => (is ? '[' : '{"a":'));
  const close = isArray.map((is) => (is ? ']' : '}')).reverse();
  return [...open, '0', ...close].join('');
}

function objectOf(members: number): string {
  return JSON.stringify(Object.fromEntries(Array.from({ length: members }, (_, n) => [`m${n}`, n])));
}
