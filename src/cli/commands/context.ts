import type { Command } from 'commander';
import { Service } from '../api/service';
import { configPath, readConfig } from '../contexts/config-file';
import { targetOf, type TargetFlags } from '../contexts/target';
import { Printer, type Format, type Streams } from '../output/printer';

/** What each command gets: where to write, the process around it, and the service that is meant. */
export interface Context {
  readonly printer: Printer;
  readonly environment: NodeJS.ProcessEnv;
  readonly input: NodeJS.ReadStream;
  readonly flags: SharedOptions;
  /** Reads the settings when it is needed: some commands need no service. */
  service(this: void): Service;
  exit(this: void, code: number): void;
}

/** Options of every command. */
export interface SharedOptions extends TargetFlags {
  readonly output?: Format;
}

export type Run<Options> = (context: Context, options: Options, args: readonly string[]) => Promise<void> | void;

/** Makes the action of a command. Its module is loaded when it runs. */
export type Action = <Options>(load: () => Promise<Run<Options>>) => (...args: unknown[]) => Promise<void>;

export interface Surroundings extends Streams {
  readonly input: NodeJS.ReadStream;
  readonly environment: NodeJS.ProcessEnv;
}

export function actions(surroundings: Surroundings, exit: (code: number) => void): Action {
  return (load) =>
    async (...given) => {
      const command = given.at(-1) as Command;
      const flags: SharedOptions = command.optsWithGlobals();
      const { environment, input } = surroundings;
      const printer = new Printer(surroundings, flags.output ?? 'table', environment);
      const service = (): Service => {
        const config = readConfig(configPath(environment), (sentence) => printer.say(sentence));
        return new Service(targetOf(flags, environment, config));
      };
      const run = await load();
      await run(
        { printer, environment, input, flags, service, exit },
        flags as Parameters<typeof run>[1],
        command.args,
      );
    };
}
