import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { BODY_BOUNDS, BODY_LIMITS } from '../../endpoints/body-limits';
import type { OperationDeclaration } from '../../endpoints/operation.decorator';
import { isJsonObject, parseJson, unstorableInSlices } from '../../common/json/json';
import { decodeUtf8, isSuspectText, NotUtf8, parseJsonInSlices } from '../../common/json/json-in-slices';
import { scanInSlices, structureFault, type StructureBounds } from '../../common/json/json-structure';
import { invalidField, Problem } from '../../common/answers/problem';
import type { ServiceRequest } from '../../common/work/request';
import { inSlices } from '../../common/work/slices';
import { decoderBytes, knownBytes, readBytes, refuseTooLarge } from './body-bytes';
import { BodyMemory, type BodyHold } from './body-memory';
import { declareUnknownMembers } from './unknown-members';
import { YamlReader } from './yaml-reader';

const JSON_TYPE = 'application/json';

/** Bodies above this size are checked and parsed in slices. */
const AT_ONCE_BYTES = 64 * 1024;

/** Number of bytes that are hashed at once. */
const DIGEST_STEP = 512 * 1024;

/**
 * Memory of a parsed body: at least this many times the bytes of its text, and this many bytes by its
 * structure.
 */
const PARSED = { textTimes: 4, containerBytes: 64, valueBytes: 32 } as const;

/** What is reserved for a body of unknown size before any of it has arrived. */
const UNKNOWN_BYTES = 16 * 1024;

/** A parsed body, and whether it may hold text that PostgreSQL cannot store. */
interface Parsed {
  readonly value: unknown;
  readonly suspect: boolean;
}

/**
 * Reads the body of a request within the limits of its operation, and parses it without blocking the process.
 */
@Injectable()
export class BodyReader {
  constructor(
    private readonly memory: BodyMemory,
    private readonly yaml: YamlReader,
  ) {}

  async read(req: ServiceRequest, response: Response, declaration: OperationDeclaration): Promise<void> {
    const { body = 'default', accepts = [JSON_TYPE], creates, rawBody = false, ownEncoding } = declaration;
    const declared = req.headers['content-length'];
    if (req.headers['transfer-encoding'] === undefined && (declared === undefined || declared === '0')) {
      req.body = undefined;
      return;
    }
    const mediaType = mediaTypeOf(req, accepts);
    const limit = mediaType === JSON_TYPE || rawBody ? BODY_LIMITS[body] : BODY_LIMITS.yaml;
    const reading = { limit, ...(ownEncoding === undefined ? {} : { ownEncoding }) };
    refuseTooLarge(req, limit);
    const times = rawBody ? 1 : PARSED.textTimes;
    const known = knownBytes(req, reading);
    const decoder = decoderBytes(req, reading);
    const hold = this.hold(req, response, decoder + (known ?? UNKNOWN_BYTES) * times, known === undefined);
    const stay = leaveWhileSlow(req);
    const bytes = await readBytes(
      req,
      // Its memory is that of the bytes that have arrived, so a slow sender takes none from others.
      known === undefined ? { ...reading, grows: (size) => hold.growTo(decoder + size * times) } : reading,
    );
    await stay();
    hold.shrinkTo(bytes.length * times);
    if (creates && req.headers['idempotency-key'] !== undefined) req.bodyDigest = await digestOf(bytes);
    if (bytes.length === 0 || rawBody) {
      req.body = bytes.length === 0 ? undefined : bytes;
      return;
    }
    const { value, suspect } = await this.parse(bytes, mediaType, BODY_BOUNDS[body], hold);
    req.body = value;
    if (body === 'batch') req.suspectText = suspect;
    else if (suspect) await refuseUnstorable(value);
    if (!isJsonObject(value)) return;
    for (const name of declaration.bodyFromQuery ?? []) takeFromQuery(value, req, name);
    if (declaration.unknownMembers) declareUnknownMembers(value, declaration.unknownMembers, response);
  }

  /** Until the work of the request is done, which continues after a client disconnects. */
  private hold(req: ServiceRequest, response: Response, bytes: number, grows: boolean): BodyHold {
    const hold = grows ? this.memory.holdGrowing(bytes, req.orgId) : this.memory.hold(bytes, req.orgId);
    req.releaseBody = () => hold.release();
    if (req.place) req.place.whenOver(req.releaseBody);
    else if (response.destroyed) hold.release();
    else response.once('close', req.releaseBody);
    return hold;
  }

  private async parse(bytes: Buffer, mediaType: string, bounds: StructureBounds, hold: BodyHold): Promise<Parsed> {
    if (mediaType !== JSON_TYPE) {
      const json = await parseAs('YAML', () => this.yaml.toJson(decodeUtf8(withoutMark(bytes))));
      return this.parseJson(Buffer.from(json), bounds, hold);
    }
    return this.parseJson(withoutMark(bytes), bounds, hold);
  }

  private async parseJson(bytes: Buffer, bounds: StructureBounds, hold: BodyHold): Promise<Parsed> {
    // Before it is parsed: later walks over the value are recursive, and a parser needs many bytes for one
    // bracket.
    if (bytes.length <= AT_ONCE_BYTES) {
      refuseFault(structureFault(bytes, bounds));
      return parseAs('JSON', () => {
        const text = decodeUtf8(bytes);
        return { value: parseJson(text), suspect: isSuspectText(text) };
      });
    }
    const { fault, containers, values } = await scanInSlices(bytes, bounds);
    refuseFault(fault);
    hold.growTo(bytes.length + containers * PARSED.containerBytes + values * PARSED.valueBytes);
    return parseAs('JSON', () => parseJsonInSlices(bytes));
  }
}

/**
 * A slow sender takes no place among the work meanwhile. Node reads a body that came with its headers after
 * this runs, but within the same turn of the event loop: such a request keeps its place, also while its body
 * is inflated.
 *
 * @returns a function that takes the place again
 */
function leaveWhileSlow(req: ServiceRequest): () => Promise<void> | void {
  const { place } = req;
  if (req.complete || !place) return () => undefined;
  let isSlow = false;
  const late = setImmediate(() => {
    if (req.complete) return;
    isSlow = true;
    place.leave();
  });
  return () => {
    clearImmediate(late);
    return isSlow ? place.again() : undefined;
  };
}

/** In slices: a whole batch would take a tenth of a second. */
async function digestOf(bytes: Buffer): Promise<string> {
  const hash = createHash('sha256');
  const starts = Array.from({ length: Math.ceil(bytes.length / DIGEST_STEP) }, (_, step) => step * DIGEST_STEP);
  await inSlices(starts, (start) => hash.update(bytes.subarray(start, start + DIGEST_STEP)));
  return hash.digest('hex');
}

function mediaTypeOf(req: ServiceRequest, accepts: readonly string[]): string {
  const mediaType = (req.headers['content-type'] ?? '').split(';')[0]?.trim().toLowerCase() ?? '';
  if (accepts.includes(mediaType)) return mediaType;
  throw new Problem(415, 'unsupported_media_type', `The body must be ${accepts.join(' or ')}.`, {
    headers: { accept: accepts.join(', ') },
  });
}

const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

const withoutMark = (bytes: Buffer): Buffer =>
  bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;

async function parseAs<T>(language: string, parser: () => T | Promise<T>): Promise<T> {
  try {
    return await parser();
  } catch (error) {
    if (error instanceof Problem) throw error;
    if (error instanceof NotUtf8) throw invalidField('body', 'must be UTF-8');
    // The parser's own message repeats parts of the body.
    throw invalidField('body', `must be valid ${language}`);
  }
}

function refuseFault(fault: string | undefined): void {
  if (fault !== undefined) throw invalidField('body', fault);
}

async function refuseUnstorable(value: unknown): Promise<void> {
  const fault = await unstorableInSlices(value);
  if (fault) throw invalidField(fault.path || 'body', fault.message);
}

function takeFromQuery(body: Record<string, unknown>, { query }: ServiceRequest, name: string): void {
  if (body[name] === undefined && query[name] !== undefined && query[name] !== '') body[name] = query[name];
}
