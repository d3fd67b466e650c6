import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { invariant } from '../common/invariant';
import { Prepared } from '../common/answers/prepared';
import { from, lastValueFrom, type Observable } from 'rxjs';

/**
 * Whoever remembers what operations that create have answered: a
 * port, because it knows more than this folder may.
 */
export abstract class Repetitions {
  /** @param prepare judges the request, and returns the change that it asks for */
  abstract answer(context: ExecutionContext, prepare: () => Promise<Prepared<unknown>>): Promise<unknown>;
}

/** Of operations that create or change something alone: no other request pays for an interceptor. */
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
