import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { OpenAPI3 } from 'openapi-typescript';

/**
 * Writes the types of the agent's client: those of `docs/openapi.json`, reduced to the operations that the
 * agent calls. With `--check`, it only compares.
 */
const project = join(__dirname, '../..');
const target = join(project, 'src/agent/service/schema.d.ts');

const read = (path: string): unknown => JSON.parse(readFileSync(join(project, path), 'utf8'));

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

async function main(): Promise<void> {
  // The types of its CommonJS form are wrong.
  const { default: openapiTypescript, astToString } = await import('openapi-typescript');
  const description = reduced(
    read('docs/openapi.json') as OpenAPI3,
    read('src/agent/service/operations.json') as string[],
  );
  // A member with a default may be left out of a request.
  const ast = await openapiTypescript(description, { defaultNonNullable: false });
  const text = `// Written by \`npm run openapi\`, for the operations in operations.json.\n\n${astToString(ast)}`;
  if (!process.argv.includes('--check')) return writeFileSync(target, text);
  if (readFileSync(target, 'utf8') !== text) {
    process.stderr.write('src/agent/service/schema.d.ts is not up to date: run npm run openapi\n');
    process.exitCode = 1;
  }
}

void main();
