import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { invariant } from '../common/invariant';
import { Prepared } from '../common/answers/prepared';
import { from, lastValueFrom, type Observable } from 'rxjs';

/**
 * Remembers the answers of creating operations: a port, because its adapter needs more than this folder may
 * import.
 */
export abstract class Repetitions {
  /** @param prepare validates the request, and returns its change */
  abstract answer(context: ExecutionContext, prepare: () => Promise<Prepared<unknown>>): Promise<unknown>;
}

/** Only for operations that create or change something: no other request pays for an interceptor. */
@Injectable()
export class RepetitionsInterceptor implements NestInterceptor {
  constructor(private readonly repetitions: Repetitions) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const prepare = async (): Promise<Prepared<unknown>> => {
      const prepared: unknown = await lastValueFrom(next.handle());
      invariant(prepared instanceof Prepared, 'an operation that creates prepares its change');
      return prepared;
    };
    return from(this.repetitions.answer(context, prepare));
  }
}
