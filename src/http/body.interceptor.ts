import { createHash } from 'node:crypto';
import { CallHandler, ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import { from, switchMap, type Observable } from 'rxjs';
import { parse as parseYaml } from 'yaml';
import { BODY_LIMITS, OPERATION, type OperationDeclaration } from '../auth/operation.decorator';
import { exactNumber, isJsonObject, MAX_DEPTH, nestedDeeperThan, parseJson, unstorable } from '../common/json';
import { invalidField, Problem } from '../common/problem';
import type { ServiceRequest } from '../common/request';
import { readBytes } from './body-bytes';

const JSON_TYPE = 'application/json';

/**
 * Reads and parses a body after the caller is known and may call the operation: nobody without a token makes this service
 * parse megabytes. The parser keeps numbers that a double cannot hold, and refuses what PostgreSQL could not store.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const req = context.switchToHttp().getRequest<ServiceRequest>();
    if (req.method === 'GET' || req.method === 'HEAD') return next.handle();
    const declaration = this.reflector.get<OperationDeclaration>(OPERATION, context.getHandler());
    return from(readBody(req, declaration)).pipe(switchMap(() => next.handle()));
  }
}

async function readBody(
  req: ServiceRequest,
  { body = 'default', accepts = [JSON_TYPE], namesFaultyElements }: OperationDeclaration,
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
  const bytes = await readBytes(req, BODY_LIMITS[body]);
  req.bodyDigest = createHash('sha256').update(bytes).digest('hex');
  if (bytes.length === 0) {
    req.body = undefined;
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
  if (mediaType !== JSON_TYPE) return parseAs('YAML', () => fromYaml(parseYaml(text, YAML_OPTIONS)));
  // Before it is parsed: what walks the value later recurses, and a parser needs many bytes for one bracket.
  if (nestedDeeperThan(bytes, MAX_DEPTH))
    throw invalidField('body', `must not be nested deeper than ${MAX_DEPTH} levels`);
  return parseAs('JSON', () => parseJson(text));
}

function refuseUnstorable(value: unknown): void {
  const fault = unstorable(value);
  if (fault) throw invalidField(fault.path || 'body', fault.message);
}

// Few aliases: a document of a line can stand for gigabytes. Integers as they are: see `fromYaml`.
const YAML_OPTIONS = { maxAliasCount: 20, intAsBigInt: true };

/** What the same document in JSON would have been: integers that a double cannot hold keep their digits. */
function fromYaml(value: unknown): unknown {
  if (typeof value === 'bigint') return exactNumber(value.toString());
  if (Array.isArray(value)) return value.map(fromYaml);
  if (!isJsonObject(value)) return value;
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
