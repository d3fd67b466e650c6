import { createHash } from 'node:crypto';
import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { isScalar, parseDocument, visit, type YAMLMap } from 'yaml';
import { BODY_LIMITS, OPERATION, type OperationDeclaration } from '../auth/operation.decorator';
import { exactNumber, isJsonObject, parseJson, structureFault, unstorable } from '../common/json';
import { invalidField, Problem } from '../common/problem';
import type { ServiceRequest } from '../common/request';
import { readBytes } from './body-bytes';

const JSON_TYPE = 'application/json';

/**
 * Reads and parses a body after the caller is known and may call the operation: nobody without a token makes this service
 * parse megabytes. The parser keeps numbers that a double cannot hold, and refuses what PostgreSQL could not store.
 * A guard, the last one: interceptors are asked through rxjs, which made more garbage of a request than its handler did.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const req = context.switchToHttp().getRequest<ServiceRequest>();
    if (req.method === 'GET' || req.method === 'HEAD') return true;
    const declaration = this.reflector.get<OperationDeclaration>(OPERATION, context.getHandler());
    if (declaration.bodyReadBy !== undefined) return true;
    await readBody(req, declaration);
    for (const name of declaration.bodyFromQuery ?? []) takeFromQuery(req, name);
    return true;
  }
}

/** Where something is asked before a byte of the body is read. Global guards come before all others, so the other one leaves it. */
@Injectable()
export class LateBodyGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const declaration = this.reflector.get<OperationDeclaration>(OPERATION, context.getHandler());
    await readBody(context.switchToHttp().getRequest<ServiceRequest>(), declaration);
    return true;
  }
}

function takeFromQuery({ body, query }: ServiceRequest, name: string): void {
  if (isJsonObject(body) && body[name] === undefined && query[name] !== undefined && query[name] !== '')
    body[name] = query[name];
}

async function readBody(
  req: ServiceRequest,
  { body = 'default', accepts = [JSON_TYPE], namesFaultyElements, creates, rawBody, ownEncoding }: OperationDeclaration,
): Promise<void> {
  const declared = req.headers['content-length'];
  if (req.headers['transfer-encoding'] === undefined && (declared === undefined || declared === '0')) {
    req.body = undefined;
    return;
  }
  const mediaType = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (!accepts.includes(mediaType)) {
    throw new Problem(415, 'unsupported_media_type', `The body must be ${accepts.join(' or ')}.`, {
      headers: { accept: accepts.join(', ') },
    });
  }
  const limit = mediaType === JSON_TYPE || rawBody ? BODY_LIMITS[body] : BODY_LIMITS.yaml;
  // Who sends slowly takes no place meanwhile.
  const isSlow = !req.complete;
  if (isSlow) req.place?.leave();
  const bytes = await readBytes(req, limit, ownEncoding);
  if (isSlow) req.place?.resume();
  if (creates) req.bodyDigest = createHash('sha256').update(bytes).digest('hex');
  if (bytes.length === 0) {
    req.body = undefined;
    return;
  }
  if (rawBody) {
    req.body = bytes;
    return;
  }
  const text = decode(bytes);
  req.body = parse(text, bytes, mediaType);
  // Only escapes can bring these characters into a text that is valid UTF-8, so most bodies need no walk.
  const suspect = /\\u(0000|[dD][89a-fA-F])|\\0/.test(text);
  if (namesFaultyElements) req.suspectText = suspect;
  else if (suspect) refuseUnstorable(req.body);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function decode(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch {
    throw invalidField('body', 'must be UTF-8');
  }
}

function parse(text: string, bytes: Buffer, mediaType: string): unknown {
  if (mediaType !== JSON_TYPE) return parseAs('YAML', () => parseYaml(text));
  // Before it is parsed: what walks the value later recurses, and a parser needs many bytes for one bracket.
  const fault = structureFault(bytes);
  if (fault !== undefined) throw invalidField('body', fault);
  return parseAs('JSON', () => parseJson(text));
}

function refuseUnstorable(value: unknown): void {
  const fault = unstorable(value);
  if (fault) throw invalidField(fault.path || 'body', fault.message);
}

// The library compares every key of a mapping with every other one, which takes seconds for a long one: see `refuseTwice`.
// Integers as they are: see `fromYaml`.
const YAML_OPTIONS = { version: '1.2', schema: 'core', uniqueKeys: false, intAsBigInt: true } as const;

function parseYaml(text: string): unknown {
  const document = parseDocument(text, YAML_OPTIONS);
  const [error] = document.errors;
  if (error) throw error;
  visit(document, { Map: (_key, mapping) => refuseTwice(mapping) });
  // Few aliases: a document of a line can stand for gigabytes.
  return fromYaml(document.toJS({ maxAliasCount: 20 }));
}

function refuseTwice({ items }: YAMLMap): void {
  const seen = new Set<unknown>();
  for (const { key } of items) {
    const name = isScalar(key) ? key.value : key;
    if (seen.has(name)) throw new TypeError('a key stands twice');
    seen.add(name);
  }
}

/** What the same document in JSON would have been: integers that a double cannot hold keep their digits. */
function fromYaml(value: unknown): unknown {
  if (typeof value === 'bigint') return exactNumber(value.toString());
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('not a number of JSON');
  if (Array.isArray(value)) return value.map(fromYaml);
  if (typeof value !== 'object' || value === null) return value;
  // What a directive or a tag makes of a value (a date, a set, bytes) is nothing that JSON has.
  if (Object.getPrototypeOf(value) !== Object.prototype) throw new TypeError('not a value of JSON');
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fromYaml(member)]));
}

function parseAs(language: string, parser: () => unknown): unknown {
  try {
    return parser();
  } catch {
    // The parser's own message repeats parts of the body.
    throw invalidField('body', `must be valid ${language}`);
  }
}
