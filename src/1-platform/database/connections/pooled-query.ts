import pg from 'pg';

/** The settings of a session that a pooler lends for one transaction at a time. */
export interface TransactionSettings {
  /** Called when a statement is sent. @returns what must precede it; undefined: nothing */
  apply(): string | undefined;
  /** Whether the transaction of the next statement has the settings. */
  readonly applied: boolean;
}

type Message = Parameters<pg.Connection['parse']>[0];

/** What the driver's own class does, and its types omit. */
interface DriverQuery {
  requiresPreparation(): boolean;
  prepare(connection: pg.Connection): void;
  handleCommandComplete(message: unknown, connection: pg.Connection): void;
}
const DriverQuery = pg.Query as unknown as new (
  config: unknown,
  values?: unknown,
  callback?: unknown,
) => pg.Query & DriverQuery & { name?: string | undefined };

/** The driver takes a missing second argument; its types do not. */
const LAST = false;

/**
 * SQL that gives a transaction its settings and returns no row. No value is null, so every comparison is
 * false, and all of them are evaluated.
 */
export const settingsOf = (settings: Readonly<Record<string, string>>): string => {
  const calls = Object.entries(settings).map(
    ([name, value]) => `set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, true) is null`,
  );
  return `select where ${calls.join(' or ')}`;
};

/**
 * A statement through a pooler that lends its connections for one transaction, as pgbouncer does. The next
 * transaction may have another connection, without the prepared statements and the settings of this session.
 * So it has no name, and the first statement of a transaction is sent together with the settings: without
 * `begin`, all statements up to the next synchronisation are one transaction.
 */
export class PooledQuery extends DriverQuery {
  private readonly isStatement: boolean;
  /** The answer to the settings comes first. */
  private settingsSent = false;

  constructor(
    private readonly settings: TransactionSettings,
    config: unknown,
    values?: unknown,
    callback?: unknown,
  ) {
    super(config, values, callback);
    // Whoever names a statement, even by an empty name, sends one and not a script.
    this.isStatement = this.name !== undefined;
    this.name = undefined;
  }

  override requiresPreparation(): boolean {
    return super.requiresPreparation() || (this.isStatement && !this.settings.applied);
  }

  override prepare(connection: pg.Connection): void {
    const text = this.settings.apply();
    if (text !== undefined) {
      this.settingsSent = true;
      connection.parse({ name: '', text, types: undefined } as unknown as Message, LAST);
      connection.bind({}, LAST);
      connection.execute(null, LAST);
    }
    super.prepare(connection);
  }

  override handleCommandComplete(message: unknown, connection: pg.Connection): void {
    if (this.settingsSent) this.settingsSent = false;
    else super.handleCommandComplete(message, connection);
  }
}
