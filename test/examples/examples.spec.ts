import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { EXAMPLES, SHARED } from '../../src/openapi/examples';
import { WINGS } from '../../src/openapi/tags';
import { deviation, operations } from '../support/description';
import { describedExamples } from './described-examples';
import { walkTheService, type Walked } from './walk-the-service';

/** Set by `npm run openapi:examples`: the replies are written instead of compared. */
const WRITES = process.env.WRITE_EXAMPLES === 'true';
const FOLDER = join(__dirname, '../../src/openapi/examples');
const HEAD = '// Written by npm run openapi:examples, from replies of a running service.\n';

/** Reports on the time that the walk itself took: of these only the form is compared. */
const MEASURED = new Set([
  'get_analytics',
  'get_cost_report',
  'get_daily_costs',
  'get_gpu_heatmap',
  'get_storage_summary',
  'list_cost_breakdown',
  'list_startup_comparisons',
  'list_usage_series',
]);

/** A sentence about few requests: refusals that are recorded together may not all count yet. */
const SOMETIMES_NULL = new Set(['variance']);

/** Names and types of members; of a list those of its first element. */
function formOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(formOf);
  if (typeof value !== 'object' || value === null) return typeof value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, SOMETIMES_NULL.has(name) ? 'text or null' : formOf(member)]),
  );
}

/** Members with one element for each hour: a walk may begin in one hour and end in the next. */
const BY_HOUR = new Map([['get_operations_summary', 'timeline']]);

/** The value, but of each member of this name only its form. */
const withFormOf = (name: string, value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, member: unknown) => (key === name ? formOf(member) : member));

const comparable = (replies: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(replies).map(([id, of]) => {
      const byHour = BY_HOUR.get(id);
      if (byHour !== undefined) return [id, withFormOf(byHour, of)];
      return [id, MEASURED.has(id) ? formOf(of) : of];
    }),
  );

const wingOf = new Map(WINGS.flatMap(({ tags }, place) => Object.keys(tags).map((tag) => [tag, place] as const)));

function write({ replies, shared }: Walked): void {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  const names = WINGS.map(({ name }) => name.toLowerCase());
  const module = (name: string, type: string, value: unknown): void =>
    writeFileSync(
      join(FOLDER, `${name}.ts`),
      `${HEAD}import type { Replies } from '../replies';\n\nexport const ${name.toUpperCase()}: ${type} = ${JSON.stringify(value, null, 2)};\n`,
    );
  names.forEach((name, place) => {
    const own = operations().filter(({ id, tags }) => id in replies && wingOf.get(tags[0] ?? '') === place);
    module(name, 'Record<string, Replies>', Object.fromEntries(own.map(({ id }) => [id, replies[id]])));
  });
  module('shared', 'Record<string, Replies>', shared);
  const imports = [...names, 'shared'].map((name) => `import { ${name.toUpperCase()} } from './${name}';\n`).join('');
  writeFileSync(
    join(FOLDER, 'index.ts'),
    `${HEAD}${imports}\nexport const EXAMPLES = { ${names.map((name) => `...${name.toUpperCase()}`).join(', ')} };\nexport { SHARED };\n`,
  );
}

describe('the examples of the description', () => {
  let walked: Walked;

  beforeAll(async () => {
    walked = await walkTheService();
    if (WRITES && walked.surprises.length === 0) write(walked);
  });

  it('are taken from a walk that goes as it should', () => {
    expect(walked.surprises).toEqual([]);
  });

  // They read the description, which is written after the examples.
  const compares = WRITES ? it.skip : it;

  compares('are what the service answers (npm run openapi:examples writes them anew)', () => {
    expect(comparable(walked.replies)).toEqual(comparable(EXAMPLES));
    expect(walked.shared).toEqual(SHARED);
  });

  compares('fit their schemas, and the status and the code of each refusal are its own', () => {
    const examples = describedExamples();
    const wrong = examples.flatMap(({ operation, status, type, value }) => {
      const refusal = value as { status?: number; code?: string };
      const actual = type === 'application/problem+json' ? String(refusal.status) : status;
      const fits = actual === status || `${actual[0]}XX` === status;
      const fault = deviation(
        operation,
        Number(actual),
        type,
        type.endsWith('json') ? JSON.stringify(value) : String(value),
      );
      return fits && fault === undefined ? [] : [`${operation.id} ${status}: ${fault ?? actual}`];
    });
    expect(examples.length).toBeGreaterThan(1_000);
    expect(wrong).toEqual([]);
  });
});
