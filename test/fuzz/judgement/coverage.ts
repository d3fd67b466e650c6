import { operations } from '../../support/description';

interface Counted {
  requests: number;
  successes: number;
  readonly statuses: Map<number, number>;
  /** Who sent them. */
  readonly identities: Set<string>;
}

/** Which operations were requested, by whom, and how they answered. */
export class Coverage {
  private readonly counted = new Map<string, Counted>(
    operations().map(({ id }) => [id, { requests: 0, successes: 0, statuses: new Map(), identities: new Set() }]),
  );

  count(operation: string, identity: string, status: number): void {
    const one = this.counted.get(operation);
    if (!one) throw new Error(`there is no operation ${operation}`);
    one.requests++;
    // A download is answered with where the file is.
    if (status >= 200 && status < 400) one.successes++;
    one.statuses.set(status, (one.statuses.get(status) ?? 0) + 1);
    one.identities.add(identity);
  }

  get requests(): number {
    return [...this.counted.values()].reduce((sum, one) => sum + one.requests, 0);
  }

  /** Of the operation that was requested least. */
  get fewestRequests(): number {
    return Math.min(...[...this.counted.values()].map((one) => one.requests));
  }

  /** Those of the given identities that have not requested an operation. */
  absentFrom(operation: string, identities: readonly string[]): string[] {
    return identities.filter((name) => !this.counted.get(operation)?.identities.has(name));
  }

  /** Such as `get_pod as viewer`. */
  notRequestedAs(identities: readonly string[]): string[] {
    return [...this.counted.keys()].flatMap((id) => this.absentFrom(id, identities).map((name) => `${id} as ${name}`));
  }

  private idsOf(test: (one: Counted) => boolean): string[] {
    return [...this.counted].filter(([, one]) => test(one)).map(([id]) => id);
  }

  get notHit(): string[] {
    return this.idsOf(({ requests }) => requests === 0);
  }

  get neverSucceeded(): string[] {
    return this.idsOf(({ successes }) => successes === 0);
  }

  /** One line for each tag of the description, and the sum. */
  table(): string {
    const tags = [...new Set(operations().map(({ tags: [tag = ''] }) => tag))];
    const rows = [
      ...tags.map((tag) =>
        this.row(
          tag,
          operations()
            .filter((one) => one.tags[0] === tag)
            .map(({ id }) => id),
        ),
      ),
      this.row('all', [...this.counted.keys()]),
    ];
    const head = ['', 'operations', 'hit', 'with 2xx', 'requests', '2xx', '3xx', '4xx', '5xx'];
    const widths = head.map((name, column) => Math.max(name.length, ...rows.map((row) => row[column]?.length ?? 0)));
    return [head, ...rows]
      .map((row) =>
        row
          .map((cell, column) => (column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0)))
          .join('  '),
      )
      .join('\n');
  }

  private row(name: string, ids: readonly string[]): string[] {
    const ones = ids.flatMap((id) => this.counted.get(id) ?? []);
    const sum = (of: (one: Counted) => number) => String(ones.reduce((total, one) => total + of(one), 0));
    const answered = (hundreds: number) =>
      sum(({ statuses }) =>
        [...statuses].reduce(
          (total, [status, count]) => total + (Math.floor(status / 100) === hundreds ? count : 0),
          0,
        ),
      );
    return [
      name,
      String(ones.length),
      sum(({ requests }) => Math.min(requests, 1)),
      sum(({ successes }) => Math.min(successes, 1)),
      sum(({ requests }) => requests),
      ...[2, 3, 4, 5].map(answered),
    ];
  }
}
