import * as fc from 'fast-check';
import { isJsonObject, type JsonObject } from '../../../1-platform/common/json/json';
import { stepsAtOnce } from '../../../1-platform/common/work/slices';
import { lastUserText } from './last-user-text';
import { inForm } from '../../../../test/support/form';

const MAX_SHOWN = 8_192;
const saidIn = (messages: unknown): string => stepsAtOnce(lastUserText(Buffer.from(JSON.stringify(messages))));

/** The same by parsing the value. */
function expected(said: unknown): string {
  const isOfUser = (one: unknown) => typeof one === 'string' || (isJsonObject(one) && one.role === 'user');
  const last = Array.isArray(said) ? (said as unknown[]).findLast(isOfUser) : said;
  const content = isJsonObject(last) ? last.content : last;
  const textOf = (part: unknown) => (isJsonObject(part) && typeof part.text === 'string' ? part.text : '');
  const text = Array.isArray(content) ? content.map(textOf).join('\n') : typeof content === 'string' ? content : '';
  return text.slice(-MAX_SHOWN);
}

/** Half of a surrogate pair is written as an escape. */
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 6 }),
  fc
    .constantFrom('é', '😀', '"', '\\', '\n', '\u0001', '\ud800')
    .chain((unit) => fc.integer({ min: 1, max: 30_000 }).map((times) => unit.repeat(times))),
);

describe("the user's last text", () => {
  const part = fc.oneof(
    text.map((said): JsonObject => ({ type: 'text', text: said })),
    fc.constantFrom<unknown>({ type: 'image_url', image_url: { url: 'data:' } }, { text: 1 }, 'x', 7, null),
  );
  const content = fc.oneof(text, fc.array(part, { maxLength: 4 }), fc.constantFrom<unknown>(null, 1, {}));
  const message = fc.oneof(
    fc.record({ role: fc.constantFrom<unknown>('user', 'user', 'assistant', 1), content }),
    text,
    fc.constantFrom<unknown>(1, null, [], {}, { role: 'user' }),
  );

  it('is found without parsing all of it', () => {
    fc.assert(
      fc.property(fc.oneof(fc.array(message, { maxLength: 5 }), content, message), (messages) => {
        expect(saidIn(messages) === expected(messages)).toBe(true);
      }),
      { numRuns: inForm(100, 500) },
    );
  });

  it('is the last 8,192 characters of many parts', () => {
    const parts = Array.from({ length: 20_000 }, (_, n) => (n % 2 ? { text: `part ${n}` } : n));
    const messages = [{ role: 'user', content: parts }];
    expect(saidIn(messages)).toBe(expected(messages));
  });

  it('is empty if the user wrote nothing', () => {
    for (const messages of [[], {}, 1, null, [1, 2]]) expect(saidIn(messages)).toBe('');
  });
});
