import type { Command } from 'commander';
import { configPath, readConfig } from '../contexts/config-file';
import { usage } from '../failures';
import type { Context, Run } from './context';

const SCRIPTS: Readonly<Record<string, string>> = {
  bash: `_ccp() {
  local IFS=$'\\n'
  COMPREPLY=($(ccp __complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _ccp ccp
`,
  zsh: `#compdef ccp
_ccp() {
  local -a found
  found=("\${(@f)$(ccp __complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  compadd -- $found
}
compdef _ccp ccp
`,
};

export const completion: Run<unknown> = ({ printer }, _options, [shell = '']) => {
  const script = SCRIPTS[shell];
  if (script === undefined) throw usage(`There is no completion for ${shell}: only for bash and zsh.`);
  printer.write([script.trimEnd()]);
};

/** Prints how the last word may go on: commands, kinds, options and their choices. It asks no service. */
export const candidatesOf =
  (program: Command): Run<unknown> =>
  (context, _options, words) => {
    const last = words.at(-1) ?? '';
    const candidates = following(context, program, words.slice(0, -1), last);
    context.printer.write([...new Set(candidates)].filter((word) => word.startsWith(last)));
  };

function following(context: Context, program: Command, before: readonly string[], last: string): string[] {
  let command = program;
  for (let place = 0; place < before.length; place++) {
    const word = before[place] ?? '';
    const option = optionNamed(command, word);
    // The value of an option is no command.
    if (option && (option.required || option.optional)) place++;
    else if (!option) command = childNamed(command, word) ?? command;
  }
  const option = optionNamed(command, before.at(-1) ?? '');
  if (option?.argChoices) return option.argChoices;
  if (option?.long === '--context' || command.name() === 'use') return contextsOf(context);
  if (option && (option.required || option.optional)) return [];
  if (last.startsWith('-')) return optionsOf(command).flatMap(({ long, short }) => [long ?? '', short ?? '']);
  if (command.name() === 'completion') return Object.keys(SCRIPTS);
  return command.commands.map((child) => child.name()).filter((name) => !name.startsWith('_'));
}

const optionsOf = (command: Command): Command['options'] => [
  ...command.options,
  ...(command.parent ? optionsOf(command.parent) : []),
];

const optionNamed = (command: Command, word: string) =>
  optionsOf(command).find(({ long, short }) => word !== '' && (word === long || word === short));

const childNamed = (command: Command, word: string): Command | undefined =>
  command.commands.find((child) => child.name() === word || child.aliases().includes(word));

function contextsOf({ environment }: Context): string[] {
  try {
    return Object.keys(readConfig(configPath(environment), () => undefined).contexts);
  } catch {
    // Nobody reads messages behind a tab key.
    return [];
  }
}
