import { text } from 'node:stream/consumers';
import { AgentFailure } from '../failures';

/**
 * What a supervisor that stands by gets on its standard input, as JSON, when it is needed. Members have the
 * names of the options of a run.
 */
export interface StandbyOrder {
  /** Without it and a name, those of the Slurm job in which it runs. */
  readonly namespace?: string;
  readonly name?: string;
  /** Of the pod or the worker that it will be. */
  readonly uid: string;
  /** Reference of the checkpoint; without one, the command is started. */
  readonly restore?: string;
  /** Where that checkpoint is, as `--store` names it; by default where new ones go. */
  readonly restoreStore?: string;
  /** Restores it whatever this machine lacks. */
  readonly allowIncompatible?: boolean;
  readonly command?: readonly string[];
  /** Added to the environment of the workload alone; no command line shows them. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly network?: string;
  readonly publish?: string;
  /** The port of the machine on which the workload will listen: nobody else may do so. */
  readonly port?: string;
  /** In a Slurm job: it says in its comment how it is doing, to the controller of this cluster. */
  readonly announce?: string;
}

const OPTIONAL = [
  ...['namespace', 'name', 'restore', 'restoreStore'],
  ...['network', 'publish', 'port', 'announce'],
] as (keyof StandbyOrder)[];
const MAX_CHARACTERS = 4 * 1024 * 1024;

/** The variable in which the supervisor of a pod gets its order: no command line shows it. */
export const ORDER_VARIABLE = 'CCP_ORDER';

/** Waits for the order. @returns undefined if whoever keeps this process has ended, or does not need it */
export async function orderFrom(input: AsyncIterable<Buffer>): Promise<StandbyOrder | undefined> {
  const given = await text(input);
  return given === '' ? undefined : orderIn(given);
}

/** Throws `AgentFailure` if the text is not an order. */
export function orderIn(given: string): StandbyOrder {
  let order: Partial<StandbyOrder> | null = null;
  try {
    if (given.length <= MAX_CHARACTERS) order = JSON.parse(given) as Partial<StandbyOrder> | null;
  } catch {
    // It was cut.
  }
  if (order && isComplete(order)) return order;
  throw new AgentFailure({ cause: 'invalid_setting', message: 'The order of this supervisor is not complete.' });
}

const isText = (value: unknown): boolean => typeof value === 'string';

const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);

const isComplete = (order: Partial<StandbyOrder>): order is StandbyOrder =>
  isText(order.uid) &&
  OPTIONAL.every((name) => order[name] === undefined || isText(order[name])) &&
  (order.allowIncompatible === undefined || typeof order.allowIncompatible === 'boolean') &&
  (order.command === undefined ? order.restore !== undefined : isTexts(order.command)) &&
  Object.values(order.variables ?? {}).every(isText);
