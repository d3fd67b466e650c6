import type { Socket } from 'node:net';

/**
 * Connections that are read again in each look, every 10 ms:
 * their refusals take an eighth of one core at the most.
 */
const READ_PER_LOOK = 16;

/**
 * Connections whose last request was refused. Whoever is refused and asks again at once costs time that the
 * admitted requests need: under a flood, most of it. So when there are many, each waits for its turn to be
 * read again. A client that waits as `Retry-After` says does not notice.
 */
export class RefusedConnections {
  /** Refused in this turn of the event loop; their answers may not be written yet. */
  private recent: Socket[] = [];
  /** Not read, in the order in which they were refused. */
  private readonly resting = new Set<Socket>();
  private allowance = READ_PER_LOOK;

  get waiting(): number {
    return this.resting.size;
  }

  /** To be called when a request is refused. */
  add(socket: Socket): void {
    if (this.recent.length === 0) setImmediate(() => this.rest());
    this.recent.push(socket);
  }

  /** To be called every 10 ms while there are requests. */
  look(): void {
    this.allowance = READ_PER_LOOK;
    let read = 0;
    for (const socket of this.resting) {
      if (read++ === READ_PER_LOOK) return;
      this.read(socket);
    }
  }

  /** For a service that stops. */
  readAll(): void {
    for (const socket of this.resting) this.read(socket);
  }

  private rest(): void {
    const { recent } = this;
    this.recent = [];
    for (const socket of recent) {
      if (socket.destroyed || (this.resting.size === 0 && this.allowance-- > 0)) continue;
      socket.pause();
      this.resting.add(socket);
    }
  }

  private read(socket: Socket): void {
    this.resting.delete(socket);
    if (!socket.destroyed) socket.resume();
  }
}
