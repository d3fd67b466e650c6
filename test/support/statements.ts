import { DatabaseClient } from '../../src/1-platform/database/connections/database-client';

interface Sent {
  readonly name?: string;
  readonly text: string;
  readonly values?: readonly unknown[];
}

/** A bearer's look-up. */
const LOOK_UP = /^verify-(token|inference-key)$/;
/** What the watch of the database asks when an answer is late, as on a busy machine. */
const OF_THE_WATCH = 'backends-working';
/** What connections send for themselves: settings, a probe of the server. */
const OF_A_CONNECTION = /^(do \$do\$|listen |select 1$)/;

const isOfNoRequest = (name: string | undefined, text: string): boolean =>
  LOOK_UP.test(name ?? '') || name === OF_THE_WATCH || OF_A_CONNECTION.test(text);

/**
 * The statements that the service sends, seen where they leave it: at the connections of all its pools,
 * whatever sends them. Each test file restores its mocks.
 */
export class SentStatements {
  private readonly sent = jest.spyOn(DatabaseClient.prototype, 'query');
  private since = performance.now();

  forget(): void {
    this.sent.mockClear();
    this.since = performance.now();
  }

  /**
   * How often each statement was sent, by its name, without look-ups of bearers.
   * @param orgId statements in transactions of this organisation are counted together
   */
  counts(orgId: string): Record<string, number> {
    const counts: Record<string, number> = {};
    const count = (name: string) => (counts[name] = (counts[name] ?? 0) + 1);
    /** By connection, whether its transaction is one of the organisation. Its scope says so. */
    const open = new Map<unknown, boolean>();
    for (const [client, { name, text, values = [] }] of this.calls()) {
      if (text.startsWith('begin')) open.set(client, false);
      else if (text === 'commit' || text === 'rollback') open.delete(client);
      else if (name === 'uow-scope') open.set(client, values.includes(orgId));
      else if (open.get(client)) count('in a transaction');
      else if (!open.has(client) && !isOfNoRequest(name, text)) count(name || text);
    }
    return counts;
  }

  /** A bearer is remembered for a second, so many requests one after the other cost few look-ups. */
  expectFewLookUps(): void {
    const byBearer = new Map<string, number>();
    for (const [, { name, values }] of this.calls()) {
      const bearer = (values?.[0] as Buffer | undefined)?.toString('hex') ?? '';
      if (LOOK_UP.test(name ?? '')) byBearer.set(bearer, (byBearer.get(bearer) ?? 0) + 1);
    }
    const seconds = (performance.now() - this.since) / 1_000;
    for (const times of byBearer.values()) expect(times).toBeLessThanOrEqual(seconds + 1);
  }

  private calls(): [client: unknown, sent: Sent][] {
    const { calls, contexts } = this.sent.mock;
    return (calls as unknown[][]).map(([asked], at) => [
      contexts[at],
      typeof asked === 'string' ? { text: asked } : (asked as Sent),
    ]);
  }
}
