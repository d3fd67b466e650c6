import { invariant } from '../../common/invariant';

/** A parameter in a statement's text: `$org_id`. */
const PARAMETER = /\$([a-z_][a-z0-9_]*)/g;

/** Values of a statement's parameters, by name. Names that the text does not use are left out. */
export type Values = Readonly<Record<string, unknown>>;

/** A statement that PostgreSQL parses and plans once for each connection. Its text is a constant. */
export interface Statement {
  readonly name: string;
  readonly text: string;
  /** Names of the parameters, in the order of the positions that PostgreSQL knows them by. */
  readonly parameters: readonly string[];
  /** Milliseconds in which the answer must come, if they are fewer than a statement may take. */
  readonly query_timeout?: number | undefined;
  readonly planned_each_time?: true;
  readonly waits_once?: true;
}

interface Timing {
  readonly query_timeout?: number;
  /** It is not repeated if its wait for a lock timed out: its caller does something else then. */
  readonly waits_once?: true;
  /**
   * PostgreSQL plans it at every call, with its parameters and the size that its tables have then: for
   * statements whose plan must not outlive the tables as they were.
   */
  readonly planned_each_time?: true;
}

/** The name by which PostgreSQL gets a statement that it plans at every call. */
export const PLANNED_EACH_TIME = '';

/** @param text with named parameters, as in `select … where org_id = $org_id`; a name may occur repeatedly */
export function statement(name: string, text: string, timing: Timing = {}): Statement {
  const parameters: string[] = [];
  const positioned = text.replace(PARAMETER, (_match, parameter: string) => {
    const at = parameters.indexOf(parameter);
    return `$${at === -1 ? parameters.push(parameter) : at + 1}`;
  });
  return { name, text: positioned, parameters, ...timing };
}

/** A statement that row level security does not bound: see `StatementPool`. */
export interface UnscopedStatement extends Statement {
  readonly unscoped: true;
}

/**
 * A statement for `StatementPool`. It limits itself to rows of `$org_id`, or has a reason not to. Each one is
 * on the list of `test/architecture/unscoped-statements.spec.ts`.
 */
export const unscoped = (name: string, text: string, timing: Timing = {}): UnscopedStatement => ({
  ...statement(name, text, timing),
  unscoped: true,
});

/** What pg sends: the values in the order of the positions. */
export interface BoundStatement extends Omit<Statement, 'parameters' | 'planned_each_time' | 'waits_once'> {
  readonly values: unknown[];
}

/** @throws if a parameter has no value: pass null where a value is missing */
export function bind(statement: Statement, values: Values): BoundStatement {
  const { name, text, query_timeout, parameters, planned_each_time: plannedEachTime = false } = statement;
  return {
    name: plannedEachTime ? PLANNED_EACH_TIME : name,
    text,
    query_timeout,
    values: parameters.map((parameter) => {
      invariant(parameter in values, `the parameter $${parameter} of a statement has a value`);
      return values[parameter];
    }),
  };
}
