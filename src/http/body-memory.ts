import { Inject, Injectable } from '@nestjs/common';
import { ENVIRONMENT } from '../config/config.module';
import type { Environment } from '../config/environment';
import { unavailable, type Problem } from '../common/problem';

/** The memory that the bodies of all requests in progress share. A request that finds none left is refused before its body is read. */
@Injectable()
export class BodyMemory {
  private held = 0;

  constructor(@Inject(ENVIRONMENT) private readonly environment: Pick<Environment, 'bodyMemoryBytes'>) {}

  /** @throws a 503 when there is not so much left */
  hold(bytes: number): BodyHold {
    const hold = new BodyHold(this);
    hold.growTo(bytes);
    return hold;
  }

  /** The only body in progress is always let in, whatever it takes: it would not be let in later either. */
  take(bytes: number, others = this.held): void {
    if (others > 0 && this.held + bytes > this.environment.bodyMemoryBytes) throw outOfMemory();
    this.held += bytes;
  }

  giveBack(bytes: number): void {
    this.held -= bytes;
  }

  /** What other requests than one that holds so much hold. */
  heldBeside(bytes: number): number {
    return this.held - bytes;
  }
}

/** What one request has of the memory. */
export class BodyHold {
  private bytes = 0;
  private released = false;

  constructor(private readonly memory: BodyMemory) {}

  /** @throws a 503 when there is not so much left; then it keeps what it has */
  growTo(bytes: number): void {
    if (this.released || bytes <= this.bytes) return;
    this.memory.take(bytes - this.bytes, this.memory.heldBeside(this.bytes));
    this.bytes = bytes;
  }

  /** Gives back what is not needed once the size of the body is known. */
  shrinkTo(bytes: number): void {
    if (this.released || bytes >= this.bytes) return;
    this.memory.giveBack(this.bytes - bytes);
    this.bytes = bytes;
  }

  release(): void {
    this.released = true;
    this.memory.giveBack(this.bytes);
    this.bytes = 0;
  }
}

const outOfMemory = (): Problem =>
  unavailable('body_memory_exhausted', 'The service is reading as much as it can at a time.');
