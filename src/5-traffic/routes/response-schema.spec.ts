import { compileResponseSchema, responseSchemaFault } from './response-schema';

const TIER = {
  type: 'object',
  properties: { tier: { type: 'string', enum: ['large', 'small'] } },
  required: ['tier'],
  additionalProperties: false,
};
const nested = (levels: number): object =>
  levels === 0 ? { type: 'string' } : { type: 'object', properties: { deeper: nested(levels - 1) } };

describe("the schema of a classifier's answers", () => {
  it.each<[string, object]>([
    ['with tiers', TIER],
    ['that allows everything', {}],
    ['of an older draft', { $schema: 'http://json-schema.org/draft-07/schema#', ...TIER }],
    ['with an unknown keyword', { ...TIER, 'x-note': 'for people' }],
    ['with an unknown format', { properties: { tier: { type: 'string', format: 'tier' } } }],
    ['whose object has a member named pattern', { properties: { pattern: { type: 'string' }, tier: {} } }],
  ])('%s is valid', (_name, schema) => {
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
  ])('refuses the schema %s: it %s', (text, fault) => {
    expect(responseSchemaFault(text)).toBe(fault);
  });

  it('is limited in depth', () => {
    // Each level of the object is two of the text: `properties`, and the name.
    expect(responseSchemaFault(JSON.stringify(nested(16)))).toBeUndefined();
    expect(responseSchemaFault(JSON.stringify(nested(17)))).toBe('must not use more than 32 levels');
    expect(responseSchemaFault(`${'{"not":'.repeat(5_000)}{}${'}'.repeat(5_000)}`)).toBe(
      'must not use more than 32 levels',
    );
  });

  it('does not compare the items of a list, even if it was saved with uniqueItems', () => {
    const validate = compileResponseSchema('{"properties":{"a":{"uniqueItems":true}}}');
    expect(validate({ a: [1, 1] })).toBe(true);
  });

  it('decides whether an answer matches', () => {
    const validate = compileResponseSchema(JSON.stringify(TIER));
    for (const answer of [{ tier: 'large' }, { tier: 'small' }])
      expect([answer, validate(answer)]).toEqual([answer, true]);
    for (const answer of [{}, { tier: 'huge' }, { tier: 1 }, { tier: 'large', why: '' }, [], 'large', null])
      expect([answer, validate(answer)]).toEqual([answer, false]);
  });

  it('may be compiled twice, whatever its id', () => {
    const text = JSON.stringify({ $id: 'https://example.org/tiers.json', ...TIER });
    expect([compileResponseSchema(text)({ tier: 'large' }), compileResponseSchema(text)({ tier: 'huge' })]).toEqual([
      true,
      false,
    ]);
  });

  // For such a schema Ajv returns a promise, which is truthy, and rejects unobserved.
  it('is not asynchronous, which would accept every answer', () => {
    expect(responseSchemaFault(JSON.stringify({ $async: true, ...TIER }))).toEqual(expect.any(String));
  });

  // Each of its parts checks the answer twice by the next part: 2^40 times in all, without a pause.
  it('is refused if its check would take forever', () => {
    const parts = Array.from({ length: 40 }, (_, level) => {
      const next = { $ref: `#/$defs/${level + 1}` };
      return [String(level), { allOf: [next, next] }];
    });
    const bomb = { $ref: '#/$defs/0', $defs: { ...Object.fromEntries(parts), 40: {} } };
    expect(responseSchemaFault(JSON.stringify(bomb))).toEqual(expect.any(String));
  });
});
