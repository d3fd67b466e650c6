import { Inject, Injectable } from '@nestjs/common';
import type { ServiceRequest } from '../common/work/request';
import { Problem } from '../common/answers/problem';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';

/**
 * The address of this service for clients: `PUBLIC_URL`, else the host of the request. A client that names a
 * false host misleads only itself, because no answer is cached for others. Headers that only a proxy should
 * write are ignored.
 */
@Injectable()
export class PublicAddress {
  constructor(@Inject(ENVIRONMENT) private readonly environment: Environment) {}

  /** @param address absolute, or a path of this service */
  of(request: ServiceRequest, address: string): string {
    if (!address.startsWith('/')) return address;
    const base = this.environment.publicUrl ?? `http://${request.headers.host ?? ''}`;
    if (!URL.canParse(base)) throw new Problem(400, 'bad_request', 'The Host header names no host.');
    const { origin, pathname } = new URL(base);
    return `${origin}${pathname.replace(/\/$/, '')}${address}`;
  }
}
