import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { addCommands } from './commands/commands';
import { actions, type SharedOptions, type Surroundings } from './commands/context';
import { EXIT, factsOf } from './failures';
import { FORMATS, Printer } from './output/printer';

const PACKAGE = join(__dirname, '../../package.json');

const EXAMPLES = `
Examples:
  ccp login --url https://ccp.example.com        # reads the token from a prompt, or from standard input
  ccp get pods -n training --status Running      # filters: ccp get pods --help
  ccp describe pod trainer-0 -n training
  ccp checkpoint pod trainer-0 -n training --wait
  ccp restore training/trainer-0 --wait          # the newest ready checkpoint of this name; or an id
  ccp wake llama-8b --wait
  ccp logs 0199f3c2-6b1f-7a53-9d3c-1f3f8f3f0a11 --follow
  ccp get operations --result failed -o json | jq -r '.[].failure_reason'

Environment:
  CCP_URL, CCP_TOKEN, CCP_TOKEN_FILE   win over what "ccp login" stored; CCP_CONTEXT names one of its contexts
  NO_COLOR                             no colour

Exit codes:
  0 done   1 failed   2 wrong usage   3 refused   4 not found   5 service not reachable   6 still in progress`;

/** @param argv without the program's own name. @returns the exit code */
export async function runProgram(argv: readonly string[], surroundings: Surroundings): Promise<number> {
  let code: number = EXIT.done;
  const program = await createProgram(argv, surroundings, (wanted) => (code = wanted));
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed the help, the version or what was wrong.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const facts = factsOf(error);
    const { output = 'table' } = program.opts<SharedOptions>();
    new Printer(surroundings, output, surroundings.environment).failure(facts);
    return facts.exit;
  }
}

async function createProgram(
  argv: readonly string[],
  surroundings: Surroundings,
  exit: (code: number) => void,
): Promise<Command> {
  const { out, err } = surroundings;
  const program = new Command('ccp')
    .description('Shows what the control plane knows of clusters, checkpoints and models, and sends it requests.')
    .version((JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version)
    .option('--context <name>', 'a service of "ccp context list"; default: the current one (CCP_CONTEXT)')
    .option('--url <address>', 'address of the service (CCP_URL)')
    .option('--token-file <file>', 'file with the token (CCP_TOKEN_FILE, or the token itself in CCP_TOKEN)')
    .addOption(new Option('-o, --output <format>', 'how to print the answer').choices(FORMATS).default('table'))
    .exitOverride()
    .configureOutput({ writeOut: (text) => void out.write(text), writeErr: (text) => void err.write(text) })
    .configureHelp({ showGlobalOptions: true })
    .showHelpAfterError('(ccp --help lists commands, ccp COMMAND --help its options)')
    .addHelpText('after', EXAMPLES);
  await addCommands(program, argv, actions(surroundings, exit));
  return program;
}
