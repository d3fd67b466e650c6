import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import { from, lastValueFrom, type Observable } from 'rxjs';

/** Whoever remembers what operations that create have answered: a port, because it knows more than this folder may. */
export abstract class Repetitions {
  /** @param handle does what is asked for, and gives the answer */
  abstract answer(context: ExecutionContext, handle: () => Promise<unknown>): Promise<unknown>;
}

/** Of operations that create or change something alone: no other request pays for an interceptor. */
@Injectable()
export class RepetitionsInterceptor implements NestInterceptor {
  constructor(private readonly repetitions: Repetitions) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return from(this.repetitions.answer(context, () => lastValueFrom(next.handle())));
  }
}
