import type { Socket } from 'node:net';

/**
 * Number of connections that are read again every 10 ms: their refusals take at most an eighth of one core.
 */
const READ_PER_LOOK = 16;

/**
 * Connections whose last request was refused. A client that retries at once costs time that admitted requests
 * need: under a flood, most of it. So when there are many, each waits for its turn to be read again. A client
 * that respects `Retry-After` does not notice.
 */
export class RefusedConnections {
  /** Refused in this turn of the event loop; their answers may not be written yet. */
  private recent: Socket[] = [];
  /** Not read, in the order of their refusals. */
  private readonly resting = new Set<Socket>();
  private allowance = READ_PER_LOOK;

  get waiting(): number {
    return this.resting.size;
  }

  /** Call it when a request is refused. */
  add(socket: Socket): void {
    if (this.recent.length === 0) setImmediate(() => this.rest());
    this.recent.push(socket);
  }

  /** Call it every 10 ms while there are requests. */
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
