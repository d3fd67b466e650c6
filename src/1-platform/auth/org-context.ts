import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { invariant } from '../common/invariant';
import type { OrgScope } from '../database/transactions/tx';
import type { ServiceRequest } from '../common/work/request';
import type { Caller } from './caller';

/**
 * The caller, its organisation, and the request. The first argument of every service method that requests
 * reach.
 */
export interface OrgContext extends OrgScope, Caller {
  /** The operation's id in the API description, such as `save_cluster`. */
  readonly operation: string;
  readonly requestId: string;
}

export interface OrgRequest extends ServiceRequest {
  orgContext?: OrgContext;
}

/** The caller's context, or undefined if the operation is public. */
export const OrgIfKnown = createParamDecorator(
  (_: unknown, context: ExecutionContext): OrgContext | undefined =>
    context.switchToHttp().getRequest<OrgRequest>().orgContext,
);

/** The caller's context, for operations that are not public: the guard has created it. */
export const Org = createParamDecorator((_: unknown, context: ExecutionContext): OrgContext => {
  const { orgContext } = context.switchToHttp().getRequest<OrgRequest>();
  invariant(orgContext, 'an operation that asks for the context of its caller is not public');
  return orgContext;
});
