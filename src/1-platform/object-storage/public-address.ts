import { Inject, Injectable } from '@nestjs/common';
import type { ServiceRequest } from '../common/work/request';
import { Problem } from '../common/answers/problem';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';

/**
 * How clients reach this service: `PUBLIC_URL`, else the host that the request at hand was sent to.
 * Whoever names a false one leads nobody but themselves astray, because no answer is kept for others;
 * headers that only a proxy should write are not looked at.
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
