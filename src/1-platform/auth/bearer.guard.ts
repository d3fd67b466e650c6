import { CanActivate, ExecutionContext, Inject, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Response } from 'express';
import { annotate, nameSpan } from '../common/current-trace';
import { invariant } from '../common/invariant';
import { forbidden, Problem } from '../common/answers/problem';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { accessHere, refusal } from '../endpoints/access';
import { acceptedLag } from './accepted-lag';
import type { Caller } from './caller';
import { JwtVerifier } from './bearers/jwt-verifier';
import { KeyVerifier } from './bearers/key-verifier';
import { DATA_LAG, OPERATION, type OperationDeclaration } from '../endpoints/operation.decorator';
import type { OrgRequest } from './org-context';
import { TokenVerifier } from './bearers/token-verifier';

/** Maximum length of a bearer: a JWT with many claims fits. */
const MAX_BEARER = 8_192;

/** The bearer of an `Authorization` header; undefined if it is missing or too long. */
export function bearerOf(header: string | undefined): string | undefined {
  const token = /^Bearer +([A-Za-z0-9._~+/=-]+) *$/i.exec(header ?? '')?.[1];
  return token === undefined || token.length > MAX_BEARER ? undefined : token;
}

/** Sets the header to the longest lag of all reads of the request. */
function reporter(context: ExecutionContext): (lagMs: number) => void {
  const response = context.switchToHttp().getResponse<Response>();
  let most = 0;
  return (lagMs) => {
    most = Math.max(most, lagMs);
    if (!response.headersSent) response.setHeader(DATA_LAG, String(most));
  };
}

/**
 * Identifies the caller, checks the permission, and selects the organisation. Everything behind this guard
 * has an `OrgContext`.
 */
@Injectable()
export class BearerGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly tokens: TokenVerifier,
    private readonly keys: KeyVerifier,
    private readonly jwts: JwtVerifier,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<OrgRequest>();
    const operation = this.reflector.get<OperationDeclaration | undefined>(OPERATION, context.getHandler());
    invariant(operation, 'a handler without @Operation does not boot');
    request.routeTemplate = (request.route as { path: string }).path;
    nameSpan(`${request.method} ${request.routeTemplate}`, { 'http.route': request.routeTemplate });
    request.openAiErrors = operation.openAiErrors === true;
    const access = accessHere(operation.access, this.environment);
    if (access === 'public') return true;

    const caller = await this.callerOf(request);
    if (!caller)
      throw new Problem(401, 'unauthenticated', 'A valid bearer token is needed.', {
        headers: { 'www-authenticate': 'Bearer' },
      });
    request.place?.callerIsKnown(caller.orgId);
    request.orgId = caller.orgId;
    annotate({ 'ccp.organisation_id': caller.orgId, 'ccp.operation': operation.id });
    const refused = refusal(caller, access);
    if (refused !== undefined) throw forbidden(`${refused} may not call ${operation.id}.`);
    // Only from here on, refusals have the operation's own format. Callers without permission get the general
    // one.
    request.statusErrors = operation.statusErrors === true;
    const maxLagMs = acceptedLag(request.method, request.headers['cache-control'], operation.mayLag === true);
    request.orgContext = {
      ...caller,
      operation: operation.id,
      requestId: request.requestId,
      ...(maxLagMs !== undefined && { lagged: reporter(context), maxLagMs }),
    };
    return true;
  }

  private async callerOf({ headers, place }: OrgRequest): Promise<Caller | undefined> {
    const token = bearerOf(headers.authorization);
    if (token === undefined) return undefined;
    const known = (await this.keys.verify(token)) ?? (await this.tokens.verify(token));
    return known ?? (await this.jwts.verify(token, place));
  }
}
