import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPI3 } from 'openapi-typescript';

/**
 * Writes what the console knows of the API: the types of its client, and which roles may call an operation.
 * With `--check`, it only compares.
 */
const project = join(__dirname, '../..');
const folder = join(project, 'src/console/app/api');

const ROLES = 4;

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

async function main(): Promise<void> {
  // The types of its CommonJS form are wrong.
  const { default: openapiTypescript, astToString } = await import('openapi-typescript');
  // Examples are no types, and would be a quarter of the file.
  const description = JSON.parse(readFileSync(join(project, 'docs/openapi.json'), 'utf8'), (name, member: unknown) =>
    name === 'example' || name === 'examples' ? undefined : member,
  ) as OpenAPI3;
  const head = '// Written by `npm run openapi`.\n\n';
  const ast = await openapiTypescript(description, { defaultNonNullable: false });
  const texts = {
    'schema.d.ts': head + astToString(ast),
    'roles.ts': `${head}export const ROLES_OF = ${JSON.stringify(rolesOf(description), null, 2)} as const;\n`,
  };
  for (const [name, text] of Object.entries(texts)) {
    const file = join(folder, name);
    if (!process.argv.includes('--check')) writeFileSync(file, text);
    else if (readFileSync(file, 'utf8') !== text) {
      process.stderr.write(`src/console/app/api/${name} is not up to date: run npm run openapi\n`);
      process.exitCode = 1;
    }
  }
}

void main();
