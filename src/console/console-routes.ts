import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Express, Request, Response } from 'express';
import type { Problem } from '../1-platform/common/answers/problem';
import type { ServiceRequest } from '../1-platform/common/work/request';
import { ENVIRONMENT } from '../1-platform/config/config.module';
import type { Environment } from '../1-platform/config/environment';
import { sendProblem } from '../1-platform/http/problem.filter';
import { BuiltConsole, type Asset } from './built-console';
import { assetNotFound, notBuilt } from './console.errors';
import { policyWith } from './content-policy';

/** Beside `src` and `dist`. */
export const BUILT = join(__dirname, '../../dist-console');

const FOR_EVER = 'public, max-age=31536000, immutable';
const NONCE_BYTES = 16;

/**
 * Serves the console at `/console`. Its routes stand behind those of the API, so a request of the API is
 * never compared with them.
 */
@Injectable()
export class ConsoleRoutes implements OnModuleInit {
  constructor(
    private readonly adapter: HttpAdapterHost,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    addConsole(this.adapter.httpAdapter.getInstance<Express>(), BuiltConsole.read(BUILT), this.environment);
  }
}

/** @param built undefined: the pages answer that the console is missing */
export function addConsole(express: Express, built: BuiltConsole | undefined, environment: Environment): void {
  const openPage = (request: Request, response: Response): void => {
    if (!built) return refuse(request, response, notBuilt());
    const nonce = randomBytes(NONCE_BYTES).toString('base64');
    response.setHeader('content-security-policy', policyWith(nonce, environment.jwt?.signIn?.tokenUrl));
    response.setHeader('referrer-policy', 'no-referrer');
    response.setHeader('cross-origin-opener-policy', 'same-origin');
    // With its nonce, an answer belongs to one request.
    response.setHeader('cache-control', 'no-store');
    response.type('html').send(built.pageWith(nonce));
  };
  express.get('/', (request, response, next) => {
    response.vary('Accept');
    // Programs that accept everything learn that there is nothing here, as they do elsewhere.
    if (request.headers.accept?.includes('text/html')) response.redirect(302, '/console');
    else next();
  });
  express.get('/console/assets/:name', (request, response) => {
    const asset = built?.asset(request.params.name);
    if (asset) sendAsset(request, response, asset);
    else refuse(request, response, assetNotFound());
  });
  // Every address below it is a page: the application finds out which one.
  express.get(['/console', '/console/{*page}'], openPage);
}

const refuse = (request: Request, response: Response, problem: Problem): void =>
  sendProblem(request as unknown as ServiceRequest, response, problem);

function sendAsset(request: Request, response: Response, { type, bodies }: Asset): void {
  const body = bodies.find(({ encoding }) => encoding === undefined || request.acceptsEncodings(encoding) !== false);
  if (!body) return;
  response.vary('Accept-Encoding');
  response.setHeader('cache-control', FOR_EVER);
  response.setHeader('etag', body.tag);
  if (request.fresh) {
    response.status(304).end();
    return;
  }
  response.setHeader('content-type', type);
  if (body.encoding) response.setHeader('content-encoding', body.encoding);
  response.send(body.bytes);
}
