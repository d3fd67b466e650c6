import type { Command } from 'commander';
import { readSettings, type Settings } from '../settings/settings';
import type { Output } from './output/output';

/** What each command gets: the settings, where to write, and how to set the exit code. */
export interface Context {
  readonly output: Output;
  readonly settings: Settings;
  exit(code: number): void;
}

/** Those of every command. */
interface SharedOptions {
  readonly url?: string;
  readonly stateDir?: string;
  readonly store?: string;
  readonly storeKeyFile?: string;
  readonly tokenFile?: string;
  readonly verify?: string;
  readonly parallelDumps?: string;
  readonly config?: string;
  readonly json?: boolean;
}

export function addSharedOptions(program: Command): Command {
  return program
    .option('--url <address>', 'address of the service (CCP_URL; default http://127.0.0.1:3000)')
    .option(
      '--state-dir <directory>',
      "what this agent keeps (CCP_STATE_DIR; default below the user's state directory)",
    )
    .option('--store <directory|service>', 'where checkpoints are kept (CCP_STORE; default in the state directory)')
    .option(
      '--store-key-file <file>',
      'key that signs checkpoints, the same on all machines of a store (CCP_STORE_KEY_FILE; default: one of this machine)',
    )
    .option('--token-file <file>', "the service's token (CCP_TOKEN_FILE, or the token itself in CCP_TOKEN)")
    .option(
      '--verify <changed|always>',
      'before a restore, hash images unless this machine did so within a day and they are unchanged, or always (CCP_VERIFY; default: changed)',
    )
    .option('--parallel-dumps <number>', 'dumps at once on this machine (CCP_PARALLEL_DUMPS; default: processors)')
    .option('--config <file>', 'JSON file with members like stateDir (CCP_CONFIG); flags and variables win')
    .option('--json', 'print one JSON document');
}

/** Makes the action of a command: it gets the context, its own options and its arguments. */
export type Run<Options> = (context: Context, options: Options, args: readonly string[]) => Promise<void>;

export type Action = <Options>(run: () => Promise<Run<Options>>) => (...args: unknown[]) => Promise<void>;

/** @param streams of the process, or of a test */
export function actions(
  streams: { readonly out: NodeJS.WritableStream; readonly err: NodeJS.WritableStream },
  exit: (code: number) => void,
): Action {
  return (load) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const options: SharedOptions = command.optsWithGlobals();
      const context = { output: { ...streams, json: options.json === true }, settings: readSettings(options), exit };
      const run = await load();
      await run(context, options as Parameters<typeof run>[1], command.args);
    };
}
