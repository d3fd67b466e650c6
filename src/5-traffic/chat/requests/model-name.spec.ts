import * as fc from 'fast-check';
import { modelName, modelNames } from './model-name';

describe('the model that a body names', () => {
  it.each<[body: string, model: string | undefined]>([
    ['{"model":"m","messages":[]}', 'm'],
    ['{ "messages": [{"model": "inner", "role": "user"}], "model" : "m" }', 'm'],
    ['{"a":"model","model":"m"}', 'm'],
    ['{"a":"\\"model\\":\\"x\\"","model":"m"}', 'm'],
    ['{"model":"a \\"quoted\\" \\u00e9"}', 'a "quoted" é'],
    ['{"model":"m","messages":[', 'm'],
    ['{"model":7,"x":"y"}', undefined],
    ['{"model":["m"]}', undefined],
    ['{"model":"first","a":{"model":"inner"},"model":"last"}', 'last'],
    ['{"messages":[]}', undefined],
    ['["model","m"]', undefined],
    ['"model"', undefined],
    ['{"model":"m', undefined],
    ['', undefined],
    ['hello', undefined],
  ])('reads in the body %s the model %j', (body, model) => {
    expect(modelName(Buffer.from(body))).toBe(model);
  });

  it('is one of several that are named', () => {
    expect(modelNames(Buffer.from('{"model":"m","a":"b","model":"n","model":7,"c":"d"}'))).toEqual(['m', 'n']);
    expect(modelNames(undefined)).toEqual([]);
  });

  it('is not searched beyond 256 KB', () => {
    const padding = (size: number) => Buffer.from(`{"padding":"${'x'.repeat(size)}","model":"m"}`);
    expect(modelName(padding(260_000))).toBe('m');
    expect(modelName(padding(270_000))).toBeUndefined();
  });

  it('is the one that a parser finds, wherever it stands', () => {
    const value = fc.oneof(
      fc.string(),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(fc.string()),
      fc.object(),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), value, { noNullPrototype: true }), fc.string(), (others, model) => {
        delete others.model;
        const members = { ...others, model, 'model ': 1 };
        expect(modelName(Buffer.from(JSON.stringify(members)))).toBe(model);
      }),
    );
  });

  it('is found or not in bounded time for any bytes', () => {
    fc.assert(fc.property(fc.uint8Array(), (bytes) => void modelName(Buffer.from(bytes))));
  });
});
