import { styleText } from 'node:util';
import type { FailureFacts } from '../failures';
import { shown, shownJson } from './shown';
import { tableOf, type Cell, type Tone } from './table';

export const FORMATS = ['table', 'wide', 'json', 'name'] as const;
export type Format = (typeof FORMATS)[number];

export interface Streams {
  readonly out: NodeJS.WritableStream & { readonly isTTY?: boolean; readonly columns?: number };
  readonly err: NodeJS.WritableStream;
}

const STYLES = { good: 'green', busy: 'yellow', bad: 'red', head: 'bold' } as const;

/** Writes the answer to standard output, all else to standard error, and no control characters. */
export class Printer {
  /** Somebody looks at a terminal. */
  readonly isTerminal: boolean;
  private readonly isColoured: boolean;

  constructor(
    readonly streams: Streams,
    readonly format: Format,
    environment: NodeJS.ProcessEnv = process.env,
  ) {
    this.isTerminal = streams.out.isTTY === true;
    this.isColoured = this.isTerminal && !environment.NO_COLOR && environment.TERM !== 'dumb';
  }

  get isJson(): boolean {
    return this.format === 'json';
  }

  /** @param head undefined for none */
  table(head: readonly string[] | undefined, rows: readonly (readonly Cell[])[]): void {
    this.write(this.lines(head, rows));
  }

  lines(head: readonly string[] | undefined, rows: readonly (readonly Cell[])[]): string[] {
    // Terminals without a size say 0.
    const width = (this.isTerminal && this.streams.out.columns) || undefined;
    return tableOf(head, rows, { width, paint: (text, tone) => this.paint(text, tone) });
  }

  line(text: string): void {
    this.write([shown(text)]);
  }

  heading(text: string): void {
    this.write(['', this.paint(shown(text), 'head')]);
  }

  /** @param indented for people who read it; else on one line */
  document(value: unknown, indented = true): void {
    this.write([shownJson(value, indented ? 2 : undefined)]);
  }

  /** Sentences about what happens, or what to know. */
  say(sentence: string): void {
    this.streams.err.write(`${shown(`ccp: ${sentence}`)}\n`);
  }

  failure({ code, message, remedy, fields, requestId, idempotencyKey }: FailureFacts): void {
    const names = { request_id: requestId, idempotency_key: idempotencyKey };
    if (this.isJson) this.document({ failure: { code, message, remedy, fields, ...names } });
    this.say(`${message} (${code})`);
    for (const fault of fields ?? []) this.say(`  ${fault.field}: ${fault.message}`);
    if (remedy !== undefined) this.say(remedy);
    if (requestId !== undefined) this.say(`The request was ${requestId}.`);
  }

  /** @param lines as `lines` makes them */
  write(lines: readonly string[]): void {
    if (lines.length > 0) this.streams.out.write(lines.map((line) => `${line}\n`).join(''));
  }

  private paint(text: string, tone: Tone | 'head'): string {
    return this.isColoured ? styleText(STYLES[tone], text, { validateStream: false }) : text;
  }
}
