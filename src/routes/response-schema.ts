import Ajv, { type ValidateFunction } from 'ajv';
import { isJsonObject } from '../common/json';

const MAX_DEPTH = 32;

const ajv = () =>
  new Ajv({ strict: false, allErrors: false, validateSchema: true, logger: false, addUsedSchema: false });

/** What is wrong with the schema that a classifier is to answer by, in words that fit behind the name of its field. */
export function responseSchemaFault(text: string): string | undefined {
  const schema = parsed(text);
  if (!isJsonObject(schema)) return 'must be a JSON Schema: an object, as text';
  const keyword = refusedKeyword(schema, 0);
  if (keyword !== undefined) return `must not use ${keyword}`;
  try {
    ajv().compile(schema);
    return undefined;
  } catch {
    return 'must be a valid JSON Schema';
  }
}

/** @param text one that has no fault */
export function compileResponseSchema(text: string): ValidateFunction {
  return ajv().compile(parsed(text) as object);
}

function parsed(text: string): unknown {
  try {
    const schema: unknown = JSON.parse(text);
    // Which draft it is of: the keywords of all of them are understood.
    if (isJsonObject(schema)) delete schema.$schema;
    return schema;
  } catch {
    return undefined;
  }
}

/**
 * Regular expressions and references, of which hostile ones never end (or as good as never), and the keyword that makes the check
 * answer later. A property may have such a name: its schema is no text.
 */
const REFUSED_TEXTS = ['pattern', '$ref', '$dynamicRef', '$recursiveRef'];
const REFUSED = ['patternProperties', '$async'];

function refusedKeyword(value: unknown, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth > MAX_DEPTH) return `more than ${MAX_DEPTH} levels`;
  for (const [name, member] of Object.entries(value)) {
    if (REFUSED.includes(name) || (REFUSED_TEXTS.includes(name) && typeof member === 'string')) return name;
    const within = refusedKeyword(member, depth + 1);
    if (within !== undefined) return within;
  }
  return undefined;
}
