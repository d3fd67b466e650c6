import type { FailureFacts } from '../../failures';

/** Where a command writes: the answer to standard output, all else to standard error. */
export interface Output {
  readonly json: boolean;
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream;
}

/** The one answer of a command: a document for programs, or lines for people. */
export function answer(output: Output, document: unknown, lines: () => readonly string[]): void {
  output.out.write(
    output.json
      ? `${JSON.stringify(document)}\n`
      : lines()
          .map((line) => `${line}\n`)
          .join(''),
  );
}

/** Tells people what happens, a sentence each. */
export function say(output: Output, sentence: string): void {
  output.err.write(`ccp-agent: ${sentence}\n`);
}

export function answerFailure(output: Output, failure: FailureFacts): void {
  if (output.json) output.out.write(`${JSON.stringify({ failure })}\n`);
  say(output, `${failure.message} (${failure.cause})`);
  if (failure.remedy) say(output, failure.remedy);
  for (const line of failure.log ?? []) say(output, `  ${line}`);
}

/** Rows of texts as aligned columns. */
export function table(rows: readonly (readonly string[])[]): string[] {
  const widths = rows.reduce<number[]>(
    (widest, row) => row.map((cell, column) => Math.max(widest[column] ?? 0, cell.length)),
    [],
  );
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join('  ')
      .trimEnd(),
  );
}
