import { createRequire } from 'node:module';
import type { ValidateFunction } from 'ajv';
import { isJsonObject } from '../../1-platform/common/json/json';

const MAX_DEPTH = 32;

/** Maximal objects and lists of a schema: each of them may be checked against each part of an answer. */
const MAX_PARTS = 100;

const load = createRequire(__filename);

function ajv() {
  // Only here: few routes have a classifier, and these are 68 files.
  const { Ajv } = load('ajv') as typeof import('ajv');
  const made = new Ajv({ strict: false, allErrors: false, validateSchema: true, logger: false, addUsedSchema: false });
  // A stored route may have it, whoever wrote it: it compares each two items of a list.
  return made.removeKeyword('uniqueItems');
}

/** The error in the schema of a classifier's answers, to follow the name of its field. */
export function responseSchemaFault(text: string): string | undefined {
  const schema = parsed(text);
  if (!isJsonObject(schema)) return 'must be a JSON Schema: an object, as text';
  const keyword = refusedKeyword(schema, { parts: 0 }, 0);
  if (keyword !== undefined) return `must not use ${keyword}`;
  try {
    ajv().compile(schema);
    return undefined;
  } catch {
    return 'must be a valid JSON Schema';
  }
}

/** @param text a valid one */
export function compileResponseSchema(text: string): ValidateFunction {
  return ajv().compile(parsed(text) as object);
}

function parsed(text: string): unknown {
  try {
    const schema: unknown = JSON.parse(text);
    // The draft: the keywords of all drafts are understood.
    if (isJsonObject(schema)) delete schema.$schema;
    return schema;
  } catch {
    return undefined;
  }
}

/**
 * Regular expressions and references, which can run forever (or nearly) if they are hostile, the keyword that
 * makes the check asynchronous, and the one that compares all items of a list with each other. A property may
 * have such a name: then its schema is no string, number or the like.
 */
const REFUSED_VALUES = ['pattern', '$ref', '$dynamicRef', '$recursiveRef', 'uniqueItems'];
const REFUSED = ['patternProperties', '$async'];

function refusedKeyword(value: unknown, seen: { parts: number }, depth: number): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (++seen.parts > MAX_PARTS) return `more than ${MAX_PARTS} objects and lists`;
  if (depth > MAX_DEPTH) return `more than ${MAX_DEPTH} levels`;
  for (const [name, member] of Object.entries(value)) {
    if (REFUSED.includes(name) || (REFUSED_VALUES.includes(name) && typeof member !== 'object')) return name;
    const within = refusedKeyword(member, seen, depth + 1);
    if (within !== undefined) return within;
  }
  return undefined;
}
