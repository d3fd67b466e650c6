const EMPTY: Buffer = Buffer.alloc(0);

/**
 * Bytes collected piece by piece. On average, each byte is copied a bounded number of times. No piece is
 * retained: a list of single bytes would need an object for each, and retain the memory that each was read
 * into.
 */
export class GrowingBuffer {
  length = 0;
  private memory = EMPTY;

  /** @param expected number of bytes, if known */
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

  /** The bytes so far. Valid until the next piece is appended. */
  get bytes(): Buffer {
    return this.memory.subarray(0, this.length);
  }

  /** @returns the bytes, which now belong to the caller */
  release(): Buffer {
    const { bytes } = this;
    this.memory = EMPTY;
    this.length = 0;
    return bytes;
  }
}
