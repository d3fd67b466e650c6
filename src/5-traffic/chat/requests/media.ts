import { BYTES_PER_TOKEN } from '../../admissions/prices';
import type { LongTexts } from '../workers/json-scan';

/** The tokens of a picture, a sound or a file that is sent as data: about those of a large picture. */
const TOKENS_OF_MEDIUM = 1_000;

/** Members with data in base64. */
const OF_DATA: ReadonlySet<string> = new Set(['"data"', '"file_data"']);
/** Members with a URL, which may be one of data. */
const OF_URLS: ReadonlySet<string> = new Set(['"url"', '"image_url"']);
const DATA_URL = '"data:';

/**
 * Counts the media of a request while it is read. By its bytes alone, a picture of 16 MiB would be four
 * million tokens; no engine makes that of it. A small one counts by its bytes.
 */
export class Media implements LongTexts {
  readonly bytes = TOKENS_OF_MEDIUM * BYTES_PER_TOKEN;
  private count = 0;
  private dataBytes = 0;

  constructor(private readonly body: Buffer) {}

  found(start: number, end: number, nameStart: number, nameEnd: number): void {
    const name = this.body.toString('latin1', nameStart, nameEnd);
    const isMedium =
      OF_DATA.has(name) ||
      (OF_URLS.has(name) && this.body.toString('latin1', start, start + DATA_URL.length) === DATA_URL);
    if (!isMedium) return;
    this.count++;
    this.dataBytes += end - start;
  }

  /** @param bytes of the whole request */
  tokensOf(bytes: number): number {
    return Math.ceil((bytes - this.dataBytes) / BYTES_PER_TOKEN) + this.count * TOKENS_OF_MEDIUM;
  }
}
