const END_OF_HEAD = Buffer.from('\r\n\r\n');
const END_OF_LINE = Buffer.from('\r\n');

export interface HttpAnswer {
  readonly status: number;
  readonly body: Buffer;
  /** By `performance.now`: the time of the first byte of its body, or of its end if it has none. */
  readonly firstByteAt: number;
}

type Part = 'head' | 'body' | 'chunk size' | 'chunk' | 'chunk end' | 'end';

/** Reads one HTTP/1.1 reply from its pieces, with a body of a known length, in chunks, or without a body. */
export class AnswerReader {
  private part: Part = 'head';
  /** The beginning of an incomplete part. */
  private rest: Buffer | undefined;
  /** Missing bytes of the body or chunk. */
  private left = 0;
  private status = 0;
  private firstByteAt: number | undefined;
  private readonly body: Buffer[] = [];

  /** @returns the reply, if the piece was its last */
  take(piece: Buffer): HttpAnswer | undefined {
    const data = this.rest ? Buffer.concat([this.rest, piece]) : piece;
    this.rest = undefined;
    let at = 0;
    while (this.part !== 'end') {
      const next = this.read(data, at);
      if (next === undefined) {
        if (at < data.length) this.rest = data.subarray(at);
        return undefined;
      }
      at = next;
    }
    if (at < data.length) throw new Error(`more than an answer came: ${data.toString('latin1', at, at + 200)}`);
    return { status: this.status, body: Buffer.concat(this.body), firstByteAt: this.firstByteAt ?? performance.now() };
  }

  /**
   * Reads one part, or the present bytes of a body. @returns where it ends; undefined if more must arrive
   * first
   */
  private read(data: Buffer, at: number): number | undefined {
    switch (this.part) {
      case 'head':
        return this.upTo(END_OF_HEAD, data, at, (text) => this.readHead(text));
      case 'chunk size':
        return this.upTo(END_OF_LINE, data, at, (text) => this.readSize(text));
      case 'chunk end':
        return this.upTo(END_OF_LINE, data, at, () => (this.part = this.left < 0 ? 'end' : 'chunk size'));
      default:
        return this.readBody(data, at);
    }
  }

  private upTo(mark: Buffer, data: Buffer, at: number, read: (text: string) => void): number | undefined {
    const end = data.indexOf(mark, at);
    if (end < 0) return undefined;
    read(data.toString('latin1', at, end));
    return end + mark.length;
  }

  private readHead(text: string): void {
    this.status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1]);
    const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
    if (/\r\ntransfer-encoding: *chunked/i.test(text)) this.part = 'chunk size';
    else if (this.status === 204 || length === '0') this.part = 'end';
    else if (length !== undefined) [this.part, this.left] = ['body', Number(length)];
    else throw new Error(`an answer without a length came: ${text}`);
  }

  private readSize(text: string): void {
    const size = parseInt(text, 16);
    if (Number.isNaN(size)) throw new Error(`a chunk of no size came: ${text.slice(0, 200)}`);
    // The last chunk is empty; its end is the end of the reply.
    [this.part, this.left] = size === 0 ? ['chunk end', -1] : ['chunk', size];
  }

  private readBody(data: Buffer, at: number): number | undefined {
    if (at >= data.length) return undefined;
    const end = Math.min(at + this.left, data.length);
    this.firstByteAt ??= performance.now();
    this.body.push(data.subarray(at, end));
    this.left -= end - at;
    if (this.left === 0) this.part = this.part === 'body' ? 'end' : 'chunk end';
    return end;
  }
}
