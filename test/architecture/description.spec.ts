import Ajv from 'ajv';
import addFormats from 'ajv-formats';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXPOSED_HEADERS } from '../../src/1-platform/http/cross-origin';
import { pagedLists } from '../e2e/1-platform/http/paged-lists';
import { operations } from '../support/description';

const PROJECT = join(__dirname, '../..');
const readJson = (file: string): unknown => JSON.parse(readFileSync(join(PROJECT, file), 'utf8'));

interface Document {
  info: { version: string };
  components: { schemas: Record<string, { properties?: Record<string, unknown> }> };
}

describe('the description', () => {
  const document = readJson('docs/openapi.json') as Document;

  it('has the version of the package', () => {
    expect(document.info.version).toBe((readJson('package.json') as { version: string }).version);
  });

  it('has a summary and a description of every operation, in sentences', () => {
    const missing = operations().filter(
      ({ summary, description }) => !/^[A-Z].*[^.]$/.test(summary) || !/^[A-Z`][^]*[.!]$/.test(description ?? ''),
    );
    expect(missing.map(({ id }) => id)).toEqual([]);
  });

  it('names no header of an answer that pages of other origins may not read', () => {
    const named = operations().flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ headers = {} }) => Object.keys(headers)),
    );
    expect(named).toContain('X-Data-Lag-Ms');
    expect(named.filter((name) => !EXPOSED_HEADERS.includes(name))).toEqual([]);
  });

  it('lets strict validators accept null in every member that may be null', () => {
    const ajv = addFormats(new Ajv({ strict: true, allowUnionTypes: true, strictRequired: false }));
    for (const format of ['int32', 'int64', 'double', 'binary']) ajv.addFormat(format, true);
    ajv.addVocabulary(['components', 'discriminator', 'example']);
    ajv.addSchema({ $id: 'description', components: document.components });
    const checked = Object.entries(document.components.schemas).flatMap(([name, { properties = {} }]) =>
      Object.entries(properties)
        .filter(([, member]) => isNullable(member))
        .map(([member]) => {
          const $ref = `description#/components/schemas/${name}/properties/${member}`;
          return { member: `${name}.${member}`, accepted: ajv.compile({ $ref })(null) };
        }),
    );
    expect(checked.length).toBeGreaterThan(300);
    expect(checked.filter(({ accepted }) => !accepted).map(({ member }) => member)).toEqual([]);
  });

  it('gives every list a limit and an offset', () => {
    const lists = pagedLists().map(({ id, parameters }) => ({ id, names: parameters.map(({ name }) => name) }));
    expect(lists.length).toBeGreaterThan(20);
    expect(lists.filter(({ names }) => !names.includes('limit') || !names.includes('offset'))).toEqual([]);
  });
});

/** The member itself may be null, in one of the two forms that the description has. */
function isNullable(member: unknown): boolean {
  const { nullable, anyOf = [] } = member as { nullable?: boolean; anyOf?: { nullable?: boolean }[] };
  return nullable === true || anyOf.some((one) => one.nullable === true);
}
