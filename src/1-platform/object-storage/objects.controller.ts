import { basename, dirname } from 'node:path';
import { Controller, Get, Put, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiExcludeController } from '../common/described';
import { nothing, Operation } from '../endpoints/operation.decorator';
import { notFound, Problem } from '../common/answers/problem';
import type { ServiceRequest } from '../common/work/request';
import { letBodyCome } from '../http/expectations';
import { atOwnPace } from '../http/admission/own-pace';
import { LocalStorage, OBJECTS_PATH, type StoredFile } from './local-storage';
import { fileNameOf, storageFailed, UPLOAD_SECONDS } from './object-storage';
import { TransferShares } from './transfer-shares';

/**
 * Serves signed addresses of objects as a bucket does, for any tool that speaks HTTP. Not part of the API.
 */
@ApiExcludeController()
@Controller(OBJECTS_PATH)
export class ObjectsController {
  constructor(
    private readonly storage: LocalStorage,
    private readonly shares: TransferShares,
  ) {}

  @Get('*key')
  @Operation({
    id: 'get_object',
    summary: 'The bytes of an object',
    description: 'The query is the signature of the address, which another operation answered.',
    access: 'public',
    work: 'transfer',
    answer: nothing(200),
  })
  async get(@Req() req: ServiceRequest, @Res() res: Response): Promise<void> {
    const key = keyOf(req);
    const { tag } = await this.storage.check('GET', key, req.query);
    this.shares.take(key, req);
    const file = await this.storage.file(key);
    // Bytes that were written since then are not checked.
    if (file === undefined || file.found.tag !== tag) throw objectNotFound();
    // The service's own answers have none, so neither have files.
    res.setHeader('etag', `"${file.found.tag}"`);
    res.setHeader('content-type', 'application/octet-stream');
    res.setHeader('content-disposition', `attachment; filename="${fileNameOf(key)}"`);
    await sendFile(res, file);
  }

  @Put('*key')
  @Operation({
    id: 'put_object',
    summary: 'Put the bytes of an object there',
    description: 'The query is the signature of the address, which another operation answered.',
    access: 'public',
    work: 'transfer',
    bodyReadBy: 'handler',
    answer: nothing(200),
  })
  async put(@Req() req: ServiceRequest): Promise<void> {
    try {
      const key = keyOf(req);
      await this.storage.check('PUT', key, req.query);
      this.shares.take(key, req);
      if (req.headers['content-range'] !== undefined) throw aPart();
      atOwnPace(req, UPLOAD_SECONDS * 1_000);
      const length = req.headers['content-length'];
      await this.storage.receive(key, length === undefined ? undefined : Number(length), req, () => letBodyCome(req));
    } finally {
      // A refused client may still be sending, and reads the answer only afterwards.
      req.resume();
    }
  }
}

/** As received: anything that needs unescaping is not a key, and was not signed. */
const keyOf = ({ path }: ServiceRequest): string => path.slice(`/${OBJECTS_PATH}/`.length);

const objectNotFound = () => notFound('object_not_found', 'There is no object at this address.');

/** `curl -C` sends the rest only, which would be stored as the whole. */
const aPart = () => new Problem(400, 'bad_request', 'An object is put there whole: without Content-Range.');

/** As chat does with clients that read nothing: each holds a connection and an open file. */
const SILENT_MS = 60_000;
/** Clients that read a little now and then do, too: on average a client must be this fast. */
const SLOWEST_BYTES_PER_MS = 16;

/** With support for ranges. */
function sendFile(res: Response, { path, found: { sizeBytes }, fs }: StoredFile): Promise<void> {
  return new Promise((resolve, reject) => {
    res.setTimeout(SILENT_MS, () => res.destroy());
    const late = setTimeout(() => res.destroy(), SILENT_MS + sizeBytes / SLOWEST_BYTES_PER_MS);
    // The edge sets the caching headers; a dot-file is never served.
    // Express passes on what it does not know, here `fs`, to `createReadStream`.
    const options = { root: dirname(path), dotfiles: 'deny', cacheControl: false, fs } as const;
    res.sendFile(basename(path), options, (error?: Error & { status?: number; headers?: Record<string, string> }) => {
      clearTimeout(late);
      if (error && !res.headersSent && !res.destroyed) return reject(problemOf(error));
      // If the client disconnects, nothing else reports that the work is over.
      if (!res.writableEnded) res.end();
      resolve();
    });
  });
}

function problemOf(error: Error & { status?: number; headers?: Record<string, string> }): Problem {
  if (error.status === 416)
    return new Problem(416, 'range_not_satisfiable', 'The object has no such bytes.', { headers: error.headers ?? {} });
  if (error.status === 412) return new Problem(412, 'precondition_failed', 'The object is not the requested one.');
  return error.status === 404 ? objectNotFound() : storageFailed(error);
}
