import { Option, type Command } from 'commander';
import type { Filter } from '../kinds/kind';
import type { Action } from './context';
import { idempotencyKey } from './idempotency-key';
import { wholeNumber } from './whole-numbers';

/** Commands whose subcommands are the kinds of things, which are loaded for them only. */
const WITH_KINDS = ['get', 'describe', 'help', '__complete'];

const WAIT = '--wait';
/** Read with the other options: a request whose wait is refused must not have been sent. */
const TIMEOUT = (): Option =>
  new Option('--timeout <seconds>', 'with --wait: how long at most (exit code 6: it is still in progress)')
    .default(600)
    .argParser((text) => wholeNumber(text, 'timeout', 1));
const KEY = (): Option =>
  new Option(
    '--idempotency-key <key>',
    'requests with the same key take effect once; default: a new key, the same for each attempt',
  ).argParser(idempotencyKey);

/** @param argv decides which parts are loaded: a start should be quick */
export async function addCommands(program: Command, argv: readonly string[], action: Action): Promise<void> {
  addContexts(program, action);
  const get = program.command('get').description('list what the service knows: ccp get --help has the kinds');
  const describe = program.command('describe').description('show one object, and what belongs to it');
  if (argv.some((word) => WITH_KINDS.includes(word))) await addKinds(get, describe, action);
  addRequests(program, action);
  program
    .command('logs')
    .description('show the stages of a checkpoint or a restore')
    .argument('<operation>', 'id of an operation, a checkpoint, a restore or an action, or how it begins')
    .option('-f, --follow', 'print stages as they are reported, until the operation ends (exit code 1: it failed)')
    .action(action(async () => (await import('./logs.js')).logs));
  program
    .command('top')
    .description('show what is used most; on a terminal, until Ctrl-C')
    .argument('[what]', 'pods, nodes, gpus or profiles; default: all')
    .option('--rows <number>', 'print so many of each kind', '10')
    .option('--interval <seconds>', 'on a terminal: time between two looks', '5')
    .option('--once', 'look once, also on a terminal')
    .action(action(async () => (await import('./top/top.js')).top));
  program
    .command('completion')
    .description('print the completion of a shell: source <(ccp completion bash)')
    .argument('<shell>', 'bash or zsh')
    .action(action(async () => (await import('./completion.js')).completion));
  program
    .command('__complete', { hidden: true })
    .argument('[words...]')
    .action(action(async () => (await import('./completion.js')).candidatesOf(program)));
}

function addContexts(program: Command, action: Action): void {
  program
    .command('login')
    .description('store a token for a service; it is read from a prompt, or from standard input')
    .action(action(async () => (await import('./sessions/login.js')).login));
  program
    .command('logout')
    .description('forget the token that other commands would use, or that of --context')
    .option('--all', 'forget all of them')
    .action(action(async () => (await import('./sessions/login.js')).logout));
  program
    .command('whoami')
    .description('show as whom the service knows you')
    .action(action(async () => (await import('./sessions/login.js')).whoami));
  const context = program.command('context').description('choose among the services that you have logged in to');
  context
    .command('list')
    .description('list them')
    .action(action(async () => (await import('./sessions/contexts.js')).listContexts));
  context
    .command('use')
    .description('make one the current context')
    .argument('<name>')
    .action(action(async () => (await import('./sessions/contexts.js')).useContext));
}

async function addKinds(get: Command, describe: Command, action: Action): Promise<void> {
  const { KINDS } = await import('../kinds/kinds.js');
  for (const { name, plural, aliases, about, filters } of KINDS) {
    const listed = get
      .command(plural)
      .aliases([name, ...aliases])
      .description(about)
      .argument('[name]', 'only this one: its name, its id, or how its id begins')
      .option('--limit <rows>', 'print at most so many', '500')
      .option('-w, --watch', 'then print what changes, until Ctrl-C')
      .option('--interval <seconds>', 'with --watch: time between two looks, at least 1', '2')
      .action(action(async () => (await import('./get.js')).get(name)));
    const described = describe
      .command(name)
      .aliases([plural, ...aliases])
      .description(about)
      .argument('<name>', 'its name, its id, or how its id begins')
      .action(action(async () => (await import('./describe.js')).describe(name)));
    for (const filter of filters) {
      listed.addOption(optionOf(filter));
      described.addOption(optionOf(filter));
    }
  }
}

function optionOf({ flags, about, choices }: Filter): Option {
  const option = new Option(flags, about);
  return choices ? option.choices(choices) : option;
}

function addRequests(program: Command, action: Action): void {
  const checkpoint = program.command('checkpoint').description('request a checkpoint of a pod or of a Slurm job');
  checkpoint
    .command('pod')
    .description('request a checkpoint of a pod, and print the id of its action')
    .argument('<name>', 'its name, its id, or how its id begins')
    .option('-n, --namespace <namespace>', 'its namespace')
    .option('-c, --cluster <name>', 'its cluster, by name or id')
    .option(
      '--containers <names>',
      'only these, separated by commas; default: those that the annotation of the pod names, or all that run',
    )
    .option('--let-go', 'release it after the dump, to be restored elsewhere; default: it goes on running')
    .option(WAIT, 'wait until it is ready (exit code 1: it failed)')
    .addOption(TIMEOUT())
    .addOption(KEY())
    .action(action(async () => (await import('./requests/checkpoint.js')).checkpointPod));
  checkpoint
    .command('job')
    .alias('slurm-job')
    .description('request a checkpoint of a Slurm job, and print the id of its action')
    .argument('<job>', 'its number, or its name: the newest running one of this name')
    .option('-c, --cluster <name>', 'its cluster, by name or id; needed if there are several clusters of Slurm')
    .option('--let-go', 'release it after the dump, to be restored elsewhere; default: it goes on running')
    .option(WAIT, 'wait until it is ready (exit code 1: it failed)')
    .addOption(TIMEOUT())
    .addOption(KEY())
    .action(action(async () => (await import('./requests/checkpoint.js')).checkpointJob));
  program
    .command('restore')
    .description('request a restore, and print the id of its action')
    .argument(
      '<checkpoint>',
      'an action or a checkpoint: its id, how it begins, or the name of a checkpoint, also as namespace/name',
    )
    .option('-c, --cluster <name>', 'where; default: where the checkpoint was taken')
    .addOption(
      new Option('--reason <reason>', 'why')
        .choices(['manual', 'nodeTermination', 'nodeUnschedulable'])
        .default('manual'),
    )
    .option('--allow-partial', 'also if some of its checkpoints are not ready')
    .option('--standalone', 'of a pod: beside its owner, such as a Deployment, which would otherwise replace it')
    .option('--allow-incompatible', 'also on a machine that lacks what the first one had')
    .option(WAIT, 'wait until it is restored (exit code 1: it failed)')
    .addOption(TIMEOUT())
    .addOption(KEY())
    .action(action(async () => (await import('./requests/restore.js')).restore));
  program
    .command('deprecate')
    .description(
      'deprecate checkpoints, and print their ids: they cannot be restored any more, and their agent removes their bytes',
    )
    .argument('<checkpoints...>', 'their ids, or how they begin. One that is not ready is cancelled')
    .action(action(async () => (await import('./requests/deprecate.js')).deprecate));
  addPolicyRequests(program, action);
  program
    .command('route')
    .description('change routes')
    .command('delete')
    .description('delete the route of a logical model: requests for it are refused from now on, also waiting ones')
    .argument('<model>', 'its whole name')
    .action(action(async () => (await import('./requests/route.js')).deleteRoute));
  program
    .command('key')
    .description('change inference keys')
    .command('change')
    .description(
      'change an inference key, and print its id; what is not named stays. The change applies from the next request on',
    )
    .argument('<key>', 'its name, its id, or how its id begins')
    .option('--name <name>', 'another name')
    .option('--budget <dollars>', 'what it may spend in total')
    .option('--no-budget', 'it may spend any amount')
    .option('--rate <number>', 'requests per second')
    .option('--no-rate', 'it may send any number of requests')
    .addOption(
      new Option('--models <names>', 'the only ones that it may use, separated by commas').conflicts('allModels'),
    )
    .option('--all-models', 'it may use all models')
    .option('--tenant <tenant>', 'whose requests they are')
    .option('--no-tenant', 'nobody is named')
    .option('--current-budget <dollars>', 'only if this is its budget now; none: it has none')
    .option('--current-rate <number>', 'only if this is its rate now; none: it has none')
    .option('--current-models <names>', 'only if these are its models now; all: it may use all')
    .addOption(KEY())
    .action(action(async () => (await import('./requests/key.js')).changeKey));
  program
    .command('wake')
    .description('request that a profile be active')
    .argument('<profile>')
    .option('--replicas <number>', 'how many; default: as many as before, at least its minimum')
    .option('--deadline <seconds>', 'give up the request after so long')
    .option(WAIT, 'wait until it is active, and print each phase (exit code 1: it failed)')
    .addOption(TIMEOUT())
    .addOption(KEY())
    .action(action(async () => (await import('./requests/capacity.js')).wake));
  program
    .command('suspend')
    .description('request that a profile be suspended')
    .argument('<profile>')
    .option('--deadline <seconds>', 'give up the request after so long')
    .option(WAIT, 'wait until it is suspended, and print each phase (exit code 1: it failed)')
    .addOption(TIMEOUT())
    .addOption(KEY())
    .action(action(async () => (await import('./requests/capacity.js')).suspend));
}

function addPolicyRequests(program: Command, action: Action): void {
  const policy = program
    .command('policy')
    .description('pause or resume a policy, or change how many checkpoints it keeps');
  policy
    .command('pause')
    .description('pause a policy, and print its id: its beats request nothing until it is resumed; open requests go on')
    .argument('<policy>', 'its name, its id, or how its id begins')
    .addOption(KEY())
    .action(action(async () => (await import('./requests/policy.js')).pause));
  policy
    .command('resume')
    .description('resume a policy at its next beat, and print its id: missed beats are not made up for')
    .argument('<policy>', 'its name, its id, or how its id begins')
    .addOption(KEY())
    .action(action(async () => (await import('./requests/policy.js')).resume));
  policy
    .command('keep')
    .description(
      'set how many checkpoints of each workload a policy keeps, and print its id: older ones are deprecated',
    )
    .argument('<policy>', 'its name, its id, or how its id begins')
    .argument('<number>', 'how many, up to 1000; all: every one')
    .option('--current <number>', 'only if it keeps so many now; all: it keeps every one')
    .addOption(KEY())
    .action(action(async () => (await import('./requests/policy.js')).keep));
}
