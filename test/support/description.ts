import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import Ajv, { type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';

interface Media {
  schema?: object;
  example?: unknown;
  examples?: Record<string, { value?: unknown; $ref?: string }>;
}

export interface DescribedOperation {
  id: string;
  method: string;
  /** With `{parameters}`. */
  path: string;
  roles: string[];
  /** `platform` if only admins of that scope are allowed. */
  scope: string | undefined;
  tags: string[];
  summary: string;
  description?: string;
  responses: Record<string, { content?: Record<string, Media>; headers?: Record<string, object> }>;
  requestBody?: { required?: boolean; content: Record<string, Media & { example?: unknown }> };
  /** Absent: anybody. Each entry is one way in; an empty one needs no bearer. */
  security?: Record<string, unknown>[];
  parameters: {
    name: string;
    in: string;
    required?: boolean;
    schema: { format?: string; type?: string; enum?: unknown[] };
  }[];
}

interface Document {
  components: { examples: Record<string, { value?: unknown }>; schemas: Record<string, object> };
  paths: Record<string, Record<string, Record<string, unknown>>>;
}

const document = JSON.parse(readFileSync(join(__dirname, '../../docs/openapi.json'), 'utf8')) as Document;

const described: readonly DescribedOperation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({
    ...(operation as unknown as DescribedOperation),
    id: operation.operationId as string,
    roles: operation['x-roles'] as string[],
    scope: operation['x-scope'] as string | undefined,
    parameters: (operation.parameters ?? []) as DescribedOperation['parameters'],
    method,
    path,
  })),
);

/** A named example of a reply; many operations share one. */
export function exampleOf(named: { value?: unknown; $ref?: string }): unknown {
  const name = named.$ref?.replace('#/components/examples/', '');
  return name === undefined ? named.value : document.components.examples[name]?.value;
}

/** A named schema of the description, by its reference. */
export function referenced(reference: string): object {
  const schema = document.components.schemas[reference.replace('#/components/schemas/', '')];
  if (!schema) throw new Error(`the description has no ${reference}`);
  return schema;
}

/** Every operation of the checked-in description, which CI keeps equal to the code. */
export const operations = (): DescribedOperation[] => [...described];

const ajv = addFormats(new Ajv({ strict: false, allErrors: true, validateFormats: true }));
const validators = new Map<string, ValidateFunction>();

/**
 * The description as a stricter JSON Schema: an object may have described members only, unless the
 * description allows others.
 */
function strict(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(strict);
  if (typeof node !== 'object' || node === null) return node;
  const schema = Object.fromEntries(Object.entries(node).map(([name, value]) => [name, strict(value)]));
  if (schema.type === 'object' && 'properties' in schema && !('additionalProperties' in schema))
    schema.additionalProperties = false;
  return schema;
}

const schemaOfReply = (operation: DescribedOperation, status: string, type: string): readonly string[] => [
  'paths',
  operation.path,
  operation.method,
  'responses',
  status,
  'content',
  type,
  'schema',
];

function validator(pointer: readonly string[]): ValidateFunction {
  const reference = `description#/${pointer
    .map((part) => part.replaceAll('~', '~0').replaceAll('/', '~1'))
    .map(encodeURIComponent)
    .join('/')}`;
  if (validators.size === 0) ajv.addSchema(strict(document) as object, 'description');
  const known = validators.get(reference) ?? ajv.compile({ $ref: reference });
  validators.set(reference, known);
  return known;
}

const parametersOf = ({ path }: DescribedOperation): number => (path.match(/\{/g) ?? []).length;

/** Parameters that may hold slashes. */
const REST = '{path}';

/** A path without parameters comes before one with parameters, and a longer one before its beginning. */
const patterns = described
  .toSorted((a, b) => parametersOf(a) - parametersOf(b) || b.path.length - a.path.length)
  .map((operation) => {
    const path = operation.path.replace(/\{[^}]+\}/g, (name) => (name === REST ? '.+' : '[^/]+'));
    return { operation, pattern: new RegExp(`^${path}$`) };
  });

/** The operation that serves a request. */
export function operationOf(method: string, path: string): DescribedOperation | undefined {
  const wanted = method.toLowerCase();
  return patterns.find(({ operation, pattern }) => operation.method === wanted && pattern.test(path))?.operation;
}

/** How an answer differs from the description; undefined if it conforms. */
export function deviation(
  operation: DescribedOperation,
  status: number,
  contentType: string,
  body: string,
): string | undefined {
  const key = [String(status), `${String(status)[0]}XX`].find((name) => name in operation.responses);
  if (key === undefined) return `status ${status} is not described`;
  const content = operation.responses[key]?.content;
  const type = contentType.split(';')[0]?.trim() ?? '';
  // The contract describes failures of some operations by their class only: these are problems, too.
  const isBareProblem = !content && key.endsWith('XX') && type === 'application/problem+json';
  if (!content && !isBareProblem) return body === '' ? undefined : `a body was not described: ${body.slice(0, 200)}`;
  if (content && !(type in content)) return `content type ${type} is not described`;
  const validate = validator(
    isBareProblem ? ['components', 'schemas', 'ProblemView'] : schemaOfReply(operation, key, type),
  );
  const value: unknown = type.endsWith('json') ? JSON.parse(body) : body;
  return validate(value) ? undefined : ajv.errorsText(validate.errors);
}
