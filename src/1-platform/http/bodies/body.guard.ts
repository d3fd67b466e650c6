import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { OPERATION, type OperationDeclaration } from '../../endpoints/operation.decorator';
import type { ServiceRequest } from '../../common/work/request';
import { BodyReader } from './body-reader';

/**
 * Reads and parses a body after the caller is known and may call the operation, so nobody without a token
 * makes this service parse megabytes. The parser keeps numbers that a double cannot hold, and refuses what
 * PostgreSQL cannot store. It is the last guard and not an interceptor, because interceptors use rxjs, which
 * made more garbage per request than its handler.
 */
@Injectable()
export class BodyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly reader: BodyReader,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    const req = http.getRequest<ServiceRequest>();
    if (req.method === 'GET' || req.method === 'HEAD') return true;
    const declaration = this.reflector.get<OperationDeclaration>(OPERATION, context.getHandler());
    if (declaration.bodyReadBy !== undefined) return true;
    await this.reader.read(req, http.getResponse<Response>(), declaration);
    return true;
  }
}

/**
 * For operations that check something before a byte of the body is read. Global guards run before all others,
 * so `BodyGuard` skips these.
 */
@Injectable()
export class LateBodyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly reader: BodyReader,
  ) {}

  async canActivate(context: ExecutionContext): Promise<true> {
    const http = context.switchToHttp();
    const declaration = this.reflector.get<OperationDeclaration>(OPERATION, context.getHandler());
    await this.reader.read(http.getRequest<ServiceRequest>(), http.getResponse<Response>(), declaration);
    return true;
  }
}
