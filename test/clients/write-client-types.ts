import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPI3 } from 'openapi-typescript';

/**
 * Writes what this project's own clients know of the API, from `docs/openapi.json`: the types of the agent's
 * and the CLI's clients, for the operations that each calls, those of the console's client, for all
 * operations, which roles may call an operation, and how machines are compared. With `--check`, it only
 * compares.
 */
const project = join(__dirname, '../..');

const ROLES = 4;

/** Examples are no types, and would be a quarter of the text. */
const read = (path: string): unknown =>
  JSON.parse(readFileSync(join(project, path), 'utf8'), (name, member: unknown) =>
    name === 'example' || name === 'examples' ? undefined : member,
  );

function reduced(description: OpenAPI3, called: readonly string[]): OpenAPI3 {
  const missing = new Set(called);
  const paths: NonNullable<OpenAPI3['paths']> = {};
  for (const [path, item] of Object.entries(description.paths ?? {})) {
    const operations = Object.entries(item).filter(
      ([, operation]) =>
        typeof operation === 'object' && 'operationId' in operation && missing.delete(String(operation.operationId)),
    );
    if (operations.length > 0) paths[path] = Object.fromEntries(operations);
  }
  if (missing.size > 0) throw new Error(`docs/openapi.json has no operation ${[...missing].join(', ')}`);
  const components: Record<string, Record<string, unknown>> = {};
  const all = description.components as Record<string, Record<string, unknown>>;
  const include = (part: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(part).matchAll(/"#\/components\/(\w+)\/(\w+)"/g)) {
      const group = (components[kind] ??= {});
      if (name in group) continue;
      group[name] = all[kind]?.[name];
      include(group[name]);
    }
  };
  include(paths);
  return { ...description, paths, components };
}

interface Described {
  readonly operationId: string;
  readonly 'x-roles': readonly string[];
}

/** Of operations that not every role may call. */
function rolesOf(description: OpenAPI3): Record<string, readonly string[]> {
  const operations = Object.values(description.paths ?? {}).flatMap((item) => Object.values(item) as Described[]);
  return Object.fromEntries(
    operations
      .filter((operation) => operation['x-roles'].length > 0 && operation['x-roles'].length < ROLES)
      .map((operation) => [operation.operationId, operation['x-roles']]),
  );
}

/** Of each property of a machine. */
function comparisonsOf(description: OpenAPI3): Record<string, unknown> {
  const schemas = description.components?.schemas as Record<string, { properties: Record<string, object> }>;
  return Object.fromEntries(
    Object.entries(schemas.MachineBody?.properties ?? {}).flatMap(([name, schema]) =>
      'x-comparison' in schema ? [[name, schema['x-comparison']]] : [],
    ),
  );
}

async function main(): Promise<void> {
  // The types of its CommonJS form are wrong.
  const { default: openapiTypescript, astToString } = await import('openapi-typescript');
  // A member with a default may be left out of a request. The library changes the description that it gets.
  const typesOf = async (description: OpenAPI3): Promise<string> =>
    astToString(await openapiTypescript(description, { defaultNonNullable: false }));
  const whole = read('docs/openapi.json') as OpenAPI3;
  const called = async (folder: string): Promise<string> =>
    typesOf(reduced(structuredClone(whole), read(`${folder}/operations.json`) as string[]));
  const head = '// Written by `npm run openapi`';
  const texts = {
    'src/agent/service/schema.d.ts': `${head}, for the operations in operations.json.\n\n${await called('src/agent/service')}`,
    'src/agent/service/machine-rules.ts': `${head}: how the service compares machines.\n\nexport const MACHINE_RULES = ${JSON.stringify(comparisonsOf(whole), null, 2)} as const;\n`,
    'src/cli/api/schema.d.ts': `${head}, for the operations in operations.json.\n\n${await called('src/cli/api')}`,
    'src/console/app/api/schema.d.ts': `${head}.\n\n${await typesOf(structuredClone(whole))}`,
    'src/console/app/api/roles.ts': `${head}.\n\nexport const ROLES_OF = ${JSON.stringify(rolesOf(whole), null, 2)} as const;\n`,
  };
  for (const [file, text] of Object.entries(texts)) {
    const path = join(project, file);
    if (!process.argv.includes('--check')) writeFileSync(path, text);
    else if (readFileSync(path, 'utf8') !== text) {
      process.stderr.write(`${file} is not up to date: run npm run openapi\n`);
      process.exitCode = 1;
    }
  }
}

void main();
