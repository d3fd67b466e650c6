import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { CallHandler, ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import express, { type Response } from 'express';
import { from, switchMap, type Observable } from 'rxjs';
import { parse as parseYaml } from 'yaml';
import { parseJson, unstorable } from '../common/json';
import { invalidField, Problem } from '../common/problem';
import { BODY_LIMITS, OPERATION, type OperationDeclaration } from '../auth/operation.decorator';
import type { ServiceRequest } from '../common/request';

const JSON_TYPE = 'application/json';

/** Readers of whole bodies, one for each size. Compressed bodies are bounded by their inflated size. */
const readers = Object.fromEntries(
  Object.entries(BODY_LIMITS).map(([name, limit]) => [name, express.raw({ limit, type: () => true })]),
) as Record<keyof typeof BODY_LIMITS, ReturnType<typeof express.raw>>;

/**
 * Reads and parses a body after the caller is known and may call the operation: nobody without a token makes this service
 * parse megabytes. The parser keeps numbers that a double cannot hold, and refuses what PostgreSQL could not store.
 */
@Injectable()
export class BodyInterceptor implements NestInterceptor {
  constructor(private readonly reflector: Reflector) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const http = context.switchToHttp();
    const req = http.getRequest<ServiceRequest>();
    if (req.method === 'GET' || req.method === 'HEAD') return next.handle();
    const declaration = this.reflector.get<OperationDeclaration>(OPERATION, context.getHandler());
    return from(readBody(req, http.getResponse<Response>(), declaration)).pipe(switchMap(() => next.handle()));
  }
}

async function readBody(
  req: ServiceRequest,
  response: Response,
  { body = 'default', accepts = [JSON_TYPE] }: OperationDeclaration,
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
  const bytes = await read(req, response, body);
  req.bodyDigest = createHash('sha256').update(bytes).digest('hex');
  req.body = bytes.length === 0 ? undefined : parse(bytes, mediaType);
}

async function read(req: ServiceRequest, response: Response, size: keyof typeof BODY_LIMITS): Promise<Buffer> {
  try {
    await promisify(readers[size])(req, response);
  } catch (cause) {
    const { status } = cause as { status?: number };
    if (status === 413)
      throw new Problem(413, 'body_too_large', `The body must be at most ${BODY_LIMITS[size]} bytes.`, {
        headers: { connection: 'close' },
      });
    if (status === 415)
      throw new Problem(415, 'unsupported_media_type', 'The content encoding of the body is not supported.');
    throw new Problem(400, 'bad_request', 'The body could not be read.', { cause });
  }
  return Buffer.isBuffer(req.body) ? req.body : Buffer.alloc(0);
}

const utf8 = new TextDecoder('utf-8', { fatal: true });

function parse(bytes: Buffer, mediaType: string): unknown {
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw invalidField('body', 'must be UTF-8');
  }
  const value =
    mediaType === JSON_TYPE
      ? parseAs('JSON', () => parseJson(text))
      : parseAs('YAML', () => parseYaml(text, { maxAliasCount: 20 }) as unknown);
  // Only escapes can bring these characters into a text that is valid UTF-8, so most bodies need no walk.
  if (/\\u(0000|[dD][89a-fA-F])|\\0/.test(text)) {
    const fault = unstorable(value);
    if (fault) throw invalidField(fault.path || 'body', fault.message);
  }
  return value;
}

function parseAs(language: string, parser: () => unknown): unknown {
  try {
    return parser();
  } catch {
    // The parser's own message repeats parts of the body.
    throw invalidField('body', `must be valid ${language}`);
  }
}
