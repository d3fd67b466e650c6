import { compileResponseSchema, responseSchemaFault } from './response-schema';

const TIER = {
  type: 'object',
  properties: { tier: { type: 'string', enum: ['large', 'small'] } },
  required: ['tier'],
  additionalProperties: false,
};
const nested = (levels: number): object =>
  levels === 0 ? { type: 'string' } : { type: 'object', properties: { deeper: nested(levels - 1) } };

describe('the schema that a classifier answers by', () => {
  it.each<[string, object]>([
    ['one that names the tiers', TIER],
    ['one that allows everything', {}],
    ['one of an older draft', { $schema: 'http://json-schema.org/draft-07/schema#', ...TIER }],
    ['one with a keyword that nobody knows', { ...TIER, 'x-note': 'for people' }],
    ['one with a format that nobody knows', { properties: { tier: { type: 'string', format: 'tier' } } }],
    ['one whose object has a member named pattern', { properties: { pattern: { type: 'string' }, tier: {} } }],
  ])('%s has no fault', (_name, schema) => {
    expect(responseSchemaFault(JSON.stringify(schema))).toBeUndefined();
  });

  it.each([
    ['', 'must be a JSON Schema: an object, as text'],
    ['{', 'must be a JSON Schema: an object, as text'],
    ['tier', 'must be a JSON Schema: an object, as text'],
    ['null', 'must be a JSON Schema: an object, as text'],
    ['true', 'must be a JSON Schema: an object, as text'],
    ['"{}"', 'must be a JSON Schema: an object, as text'],
    ['[{}]', 'must be a JSON Schema: an object, as text'],
    ['{"type":"tier"}', 'must be a valid JSON Schema'],
    ['{"required":"tier"}', 'must be a valid JSON Schema'],
    ['{"properties":{"tier":{"minLength":-1}}}', 'must be a valid JSON Schema'],
    ['{"$ref":"#/$defs/nowhere"}', 'must not use $ref'],
    ['{"$ref":"http://127.0.0.1/schema.json"}', 'must not use $ref'],
    ['{"pattern":"(a+)+$"}', 'must not use pattern'],
    ['{"properties":{"tier":{"type":"string","pattern":"(a+)+$"}}}', 'must not use pattern'],
    ['{"anyOf":[{},{"not":{"pattern":"a"}}]}', 'must not use pattern'],
    ['{"$defs":{"a":{"items":[{"pattern":"a"}]}}}', 'must not use pattern'],
    ['{"patternProperties":{"(a+)+$":{}}}', 'must not use patternProperties'],
    ['{"propertyNames":{"pattern":"a"}}', 'must not use pattern'],
    ['{"uniqueItems":true}', 'must not use uniqueItems'],
    ['{"properties":{"a":{"items":{"uniqueItems":false}}}}', 'must not use uniqueItems'],
    [`{"anyOf":[${Array(99).fill('{}').join()}]}`, 'must not use more than 100 objects and lists'],
  ])('%s %s', (text, fault) => {
    expect(responseSchemaFault(text)).toBe(fault);
  });

  it('is nested no deeper than can be looked through', () => {
    // Each level of the object is two of the text: `properties`, and the name.
    expect(responseSchemaFault(JSON.stringify(nested(16)))).toBeUndefined();
    expect(responseSchemaFault(JSON.stringify(nested(17)))).toBe('must not use more than 32 levels');
    expect(responseSchemaFault(`${'{"not":'.repeat(5_000)}{}${'}'.repeat(5_000)}`)).toBe(
      'must not use more than 32 levels',
    );
  });

  it('does not compare the items of a list, also if it was saved when it might', () => {
    const validate = compileResponseSchema('{"properties":{"a":{"uniqueItems":true}}}');
    expect(validate({ a: [1, 1] })).toBe(true);
  });

  it('tells what is an answer', () => {
    const validate = compileResponseSchema(JSON.stringify(TIER));
    for (const answer of [{ tier: 'large' }, { tier: 'small' }])
      expect([answer, validate(answer)]).toEqual([answer, true]);
    for (const answer of [{}, { tier: 'huge' }, { tier: 1 }, { tier: 'large', why: '' }, [], 'large', null])
      expect([answer, validate(answer)]).toEqual([answer, false]);
  });

  it('is compiled twice as well as once, whatever name it gives itself', () => {
    const text = JSON.stringify({ $id: 'https://example.org/tiers.json', ...TIER });
    expect([compileResponseSchema(text)({ tier: 'large' }), compileResponseSchema(text)({ tier: 'huge' })]).toEqual([
      true,
      false,
    ]);
  });

  // Ajv answers a promise for it, which is truthy, and rejected where nobody looks.
  it('is not an asynchronous one, by which every answer would seem right', () => {
    expect(responseSchemaFault(JSON.stringify({ $async: true, ...TIER }))).toEqual(expect.any(String));
  });

  // Each of its parts looks at the answer twice, by the next: 2^40
  // times in all, and nothing else is served meanwhile.
  it('is none that takes forever to go through', () => {
    const parts = Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/${level + 1}` };
      return [String(level), { allOf: [next, next] }];
    });
    const bomb = { $ref: '#/$defs/0', $defs: { ...Object.fromEntries(parts), 40: {} } };
    expect(responseSchemaFault(JSON.stringify(bomb))).toEqual(expect.any(String));
  });
});
