import { scripts } from '../../package.json';

/** The last command of `npm start`, after its checks: `NAME=value … exec node ARGUMENT …`. */
const [, variables = '', args = ''] = /((?:\w+=\S+ )+)exec node (.+)$/.exec(scripts.start) ?? [];
if (args === '') throw new Error(`npm start is not understood: ${scripts.start}`);

/** Variables that `npm start` sets. */
export const START_VARIABLES: Readonly<Record<string, string>> = Object.fromEntries(
  variables
    .trim()
    .split(' ')
    .map((one) => one.split('=') as [string, string]),
);

/** Options for Node, and the program, as `npm start` gives them. */
export const START_ARGUMENTS: readonly string[] = args.split(' ');
