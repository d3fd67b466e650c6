import { MAX_DEPTH, scanInSlices, structureFault, type StructureBounds } from './json-structure';

const WIDE: StructureBounds = { containers: 1e9, values: 1e9, text: 1e9 };
const fault = (text: string, bounds: Partial<StructureBounds> = {}) =>
  structureFault(Buffer.from(text), { ...WIDE, ...bounds });

describe('structureFault', () => {
  const deeper = (text: string, levels: number) => fault(text, { depth: levels }) !== undefined;

  it('counts arrays and objects, except in strings', () => {
    expect(fault('[[],{},"[[["]', { containers: 3 })).toBeUndefined();
    expect(fault('[[],{},[]]', { containers: 3 })).toBe('must not hold more than 3 arrays, objects and long numbers');
  });

  it('counts a number that may have to be stored as digits fourfold, and other numbers not at all', () => {
    const containers = (text: string) => {
      let count = 0;
      while (fault(text, { containers: count }) !== undefined) count++;
      return count;
    };
    for (const text of [
      '[1,-2.5,123456789012345,true,false]',
      '["1e5","12345678901234567890","e"]',
      '[0.12345678901234]',
    ])
      expect([text, containers(text)]).toEqual([text, 1]);
    for (const long of [
      '1e5',
      '-1E999',
      '1.5e-400',
      '12345678901234567890',
      '0.1234567890123456789',
      '1234567890123456e9',
    ])
      expect([long, containers(`[${long},${long}]`)]).toEqual([long, 9]);
  });

  it.each([
    ['1', 0],
    ['[]', 1],
    ['{"a":{}}', 2],
    ['[[1],[2],[{"a":[]}]]', 4],
    ['["[[[[{{{{"]', 1],
    ['["\\"[[[[", "\\\\", []]', 2],
    ['{"\\\\\\"[": [1]}', 2],
    ['["é[", "🧪{", []]', 2],
  ])('counts the levels of %s as %d', (text, levels) => {
    expect(deeper(text, levels)).toBe(false);
    if (levels > 0) expect(deeper(text, levels - 1)).toBe(true);
  });

  it('tolerates anything but JSON', () => {
    for (const text of ['', ']]]]', '"', '"\\', '[[[', '}{']) expect(deeper(text, 3)).toBe(false);
    expect(deeper('['.repeat(1_000_000), 200)).toBe(true);
  });

  it('counts all but the first element or member of each array and object', () => {
    expect(fault('[1,2,{"a":1,"b,,,":2}]', { values: 3 })).toBeUndefined();
    expect(fault('[1,2,{"a":1,"b":2}]', { values: 2 })).toBe('must not hold more than 2 values');
  });

  it('limits the members of one object, not those of all objects nor the elements of an array', () => {
    const members = (count: number) => `{${Array.from({ length: count }, (_, n) => `"${n}":1`).join()}}`;
    expect(fault(members(10_000))).toBeUndefined();
    expect(fault(members(10_001))).toBe('must not hold an object of more than 10000 members');
    expect(fault(`[${members(6_000)},${members(6_000)}]`)).toBeUndefined();
    expect(fault(`{"a":${members(6_000)},"b":[${'1,'.repeat(20_000)}1],"c":${members(6_000)}}`)).toBeUndefined();
  });

  it('limits the length of one string, whatever it holds', () => {
    for (const unit of ['x', '\\"', '\\\\', 'é']) {
      const text = unit.repeat(1_000);
      const bytes = Buffer.byteLength(text);
      expect(fault(`["${text}","${text}"]`, { text: bytes })).toBeUndefined();
      expect(fault(`["${text}"]`, { text: bytes - 1 })).toBe(`must not hold a text of more than ${bytes - 1} bytes`);
    }
  });

  it('limits consecutive digits and blanks', () => {
    expect(fault(`[1,${' '.repeat(65_000)}2,${' '.repeat(65_000)}]`)).toBeUndefined();
    expect(fault(`[${' '.repeat(70_000)}]`)).toBe('must not hold more than 65536 digits or blanks in a row');
    expect(fault(`[${'7'.repeat(70_000)}]`)).toBe('must not hold more than 65536 digits or blanks in a row');
  });

  it('finds the same in slices', async () => {
    const texts = [
      `[${Array(60_000).fill('{"a\\"[":[1.5e3,"long enough to be searched for its end \\\\"]}').join()}]`,
      '['.repeat(300_000),
      `["${'x'.repeat(200_000)}",{}]`,
    ];
    for (const text of texts) {
      const bytes = Buffer.from(text);
      for (const bounds of [WIDE, { ...WIDE, containers: 100_000 }, { ...WIDE, text: 100_000 }]) {
        const scan = await scanInSlices(bytes, bounds);
        expect(scan.fault).toBe(structureFault(bytes, bounds));
        if (scan.fault === undefined) expect(scan.containers).toBeGreaterThan(1);
      }
    }
    expect(MAX_DEPTH).toBe(200);
  });
});
