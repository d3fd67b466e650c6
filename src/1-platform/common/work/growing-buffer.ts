const EMPTY: Buffer = Buffer.alloc(0);

/**
 * Bytes that are gathered piece by piece. Each byte is copied a bounded number of
 * times on average. No piece is kept: a list of single bytes would take an object for
 * each of them, and the memory that each was read into.
 */
export class GrowingBuffer {
  length = 0;
  private memory = EMPTY;

  /** @param expected how many bytes it will be, if that is known */
  constructor(private readonly expected = 0) {}

  append(piece: Buffer): void {
    const length = this.length + piece.length;
    if (length > this.memory.length) {
      const larger = Buffer.allocUnsafe(Math.max(length, this.expected, 2 * this.memory.length));
      this.memory.copy(larger, 0, 0, this.length);
      this.memory = larger;
    }
    piece.copy(this.memory, this.length);
    this.length = length;
  }

  /** What was gathered so far. Valid until the next piece is appended. */
  get bytes(): Buffer {
    return this.memory.subarray(0, this.length);
  }

  /** @returns what was gathered, which is the caller's from now on */
  release(): Buffer {
    const { bytes } = this;
    this.memory = EMPTY;
    this.length = 0;
    return bytes;
  }
}
