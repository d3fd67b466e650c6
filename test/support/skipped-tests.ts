/** What `jest --json` writes, as far as it is read here. */
export interface JestResults {
  readonly numPassedTests: number;
  readonly numFailedTests: number;
  readonly numPendingTests: number;
  readonly testResults: readonly {
    readonly name: string;
    readonly assertionResults: readonly { readonly status: string; readonly fullName: string }[];
  }[];
}

/** @returns a line for each file and reason; titles give the reason, as in "(skipped without curl)" */
export function skippedBy({ testResults }: JestResults, shown: (file: string) => string): string[] {
  const counts = new Map<string, number>();
  for (const { name, assertionResults } of testResults) {
    for (const { fullName, status } of assertionResults) {
      if (status !== 'pending') continue;
      const reason = /\((skipped[^)]+)\)/.exec(fullName)?.[1] ?? 'skipped, without a reason in its title';
      const line = `${shown(name)}: ${reason}`;
      counts.set(line, (counts.get(line) ?? 0) + 1);
    }
  }
  return [...counts].map(([line, count]) => `${line} (${count} ${count === 1 ? 'test' : 'tests'})`);
}
