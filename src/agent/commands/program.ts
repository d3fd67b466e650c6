import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command, CommanderError, Option } from 'commander';
import { failureOf } from '../failures';
import { actions, addSharedOptions, type Action } from './context';
import { EXIT, exitCodeFor } from './output/exit-codes';
import { load } from './load';
import { answerFailure } from './output/output';

const PACKAGE = join(__dirname, '../../../package.json');

const NAMESPACE = 'namespace of the workload (default: default; in a Slurm job, slurm-CLUSTER; in a pod, its own)';

/** Each adds one command to the program. */
const COMMANDS: readonly ((program: Command, action: Action) => void)[] = [
  addRun,
  addCheckpoint,
  addStatus,
  addInspect,
  addList,
  addRemove,
  addCheck,
  addHost,
  addKubernetes,
  addSlurm,
];

export interface Streams {
  readonly out: NodeJS.WritableStream;
  readonly err: NodeJS.WritableStream;
}

/** Their exit codes are those of a workload, or they run until a signal: what they print is no answer. */
const WITHOUT_ANSWER: readonly string[] = ['run', 'host', 'kubernetes', 'slurm'];

/**
 * @param argv without the program's own name
 * @param goesOn what is called by a command that does its work whether or not its output can be written
 * @returns the exit code
 */
export async function runProgram(
  argv: readonly string[],
  streams: Streams,
  goesOn: () => void = () => {},
): Promise<number> {
  let code: number = EXIT.done;
  const program = createProgram(streams, (wanted) => (code = wanted));
  program.hook('preAction', (_program, command) => {
    if (WITHOUT_ANSWER.includes(command.name())) goesOn();
  });
  try {
    await program.parseAsync([...argv], { from: 'user' });
    return code;
  } catch (error) {
    // Commander has printed the help, the version or what was wrong.
    if (error instanceof CommanderError) return error.exitCode === 0 ? EXIT.done : EXIT.usage;
    const failure = failureOf(error);
    answerFailure({ ...streams, json: program.opts<{ json?: boolean }>().json === true }, failure);
    return exitCodeFor(failure.cause);
  }
}

function createProgram(streams: Streams, exit: (code: number) => void): Command {
  const program = new Command('ccp-agent')
    .description('Checkpoints and restores workloads on this machine.')
    .version((JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version)
    .exitOverride()
    .configureOutput({
      writeOut: (text) => void streams.out.write(text),
      writeErr: (text) => void streams.err.write(text),
    })
    .showHelpAfterError('(ccp-agent --help lists commands and options)');
  addSharedOptions(program);
  const action = actions(streams, exit);
  for (const add of COMMANDS) add(program, action);
  return program;
}

function addRun(program: Command, action: Action): void {
  program
    .command('run')
    .description('start a command, or restore it, stay with it, and exit with its exit code')
    .argument('[command...]', 'behind --; with --restore it may be omitted')
    .option(
      '--name <name>',
      'name of the workload; without it, that of the program; in a Slurm job, job-NUMBER; in a pod, CCP_WORKLOAD_NAME or its own',
    )
    .option('--namespace <namespace>', NAMESPACE)
    .option('--uid <uuid>', 'uid of its pod in the inventory; without it, a new one')
    .option(
      '--restore <reference|auto>',
      'restore this checkpoint; auto: the newest one of this name, if there is one; in a Slurm job, the requested one first',
    )
    .option('--allow-incompatible', 'with --restore: also on a machine that lacks what the first one had')
    .option('--checkpoint-on-term', 'take a checkpoint on SIGTERM, before the workload ends')
    .option('--grace <seconds>', 'time between SIGTERM and the end, for --checkpoint-on-term', '30')
    .option('--quiesce <command>', 'shell command that runs before each dump')
    .option('--resume <command>', 'shell command that runs when the workload continues, also after a restore')
    .option('--notify-signal <signal>', 'signal that the workload gets after a restore')
    .option(
      '--network <host|isolated>',
      'isolated: only loopback, of its own; default: that of the checkpoint, or host',
    )
    .option(
      '--publish <HOST_PORT:PORT>',
      'make a port of an isolated workload reachable at 127.0.0.1; HOST_PORT 0: a free one, see status; without PORT, see PORT in its environment',
    )
    .option(
      '--publish-address <address>',
      'the IP address of this machine for --publish; the default, 127.0.0.1, is reached from this machine only',
    )
    .addOption(new Option('--standby', 'wait for what to restore, on standard input').hideHelp())
    .addOption(
      new Option('--ordered', 'what to run is in the environment, as a controller has put it there').hideHelp(),
    )
    .addHelpText(
      'after',
      '\nCCP_IMAGE_DIGEST: the digest of the image of the container, if there is one. Checkpoints have it, and a restore\n' +
        'says if it differs.',
    )
    .action(action(async () => (await load<typeof import('./run')>('run')).run));
}

function addCheckpoint(program: Command, action: Action): void {
  program
    .command('checkpoint')
    .description('take a checkpoint of a workload, and print its reference')
    .argument('[name]', 'name of the workload; in a Slurm job or a pod, the one of it')
    .option('--namespace <namespace>', NAMESPACE)
    .option('--let-go', 'end the workload when its checkpoint is stored')
    .option('--stay <seconds>', 'with --let-go: for so long, its supervisor does not end', '0')
    .option('--progress', 'with --json: a document for each step before the answer')
    .option('--id <uuid>', 'of the checkpoint; a repeated id gives the same checkpoint')
    .action(action(async () => (await load<typeof import('./checkpoint')>('checkpoint')).checkpoint));
}

function addStatus(program: Command, action: Action): void {
  program
    .command('status')
    .description('show one workload, or all of this state directory')
    .argument('[name]', 'name of the workload')
    .option('--namespace <namespace>', `${NAMESPACE}; without a name, all`)
    .option('--own', 'without a name: the workload of this Slurm job, or of this pod')
    .option('--wait <seconds>', 'of one workload: answer when it runs, or has ended, but after so long in any case')
    .option('--connections <port>', 'of one workload: also how many are connected to this port of the machine')
    .action(action(async () => (await load<typeof import('./status')>('status')).status));
}

function addInspect(program: Command, action: Action): void {
  program
    .command('inspect')
    .description('show whether a process can be checkpointed; it changes nothing (3: it cannot)')
    .argument('<pid|name>', 'process id on this machine, or name of a workload')
    .option('--namespace <namespace>', NAMESPACE)
    .action(action(async () => (await load<typeof import('./inspect')>('inspect')).inspectCommand));
}

function addList(program: Command, action: Action): void {
  program
    .command('list')
    .description('show the checkpoints of the store that this agent would restore')
    .argument('[name]', 'name of the workload')
    .option('--namespace <namespace>', 'namespace of the workload; default: all')
    .action(action(async () => (await load<typeof import('./checkpoints')>('checkpoints')).list));
}

function addRemove(program: Command, action: Action): void {
  program
    .command('remove')
    .description('remove a checkpoint from the store; the service is not informed')
    .argument('<reference>', 'as list shows it')
    .action(action(async () => (await load<typeof import('./checkpoints')>('checkpoints')).remove));
}

function addCheck(program: Command, action: Action): void {
  program
    .command('check')
    .description('show what works on this machine, and how to repair the rest (3: checkpoints do not work)')
    .action(action(async () => (await load<typeof import('./check')>('check')).check));
}

function addHost(program: Command, action: Action): void {
  program
    .command('host')
    .description("report this machine's workloads to the service, and act on its requests")
    .requiredOption('--cluster <name>', 'name of the cluster that this machine is; it is registered if necessary')
    .option('--node <name>', 'name of the node; default: the name of this machine')
    .option('--namespace <namespace...>', 'act in these namespaces only')
    .option(
      '--workers',
      'run workers of profiles: their commands, which the service names, run as the user of this agent',
    )
    .option('--profiles <ids>', 'with --workers: only those of these profiles, separated by commas')
    .option('--no-standby', 'keep no supervisor ready for the next restore, to save 15 MB of memory')
    .option('--log-level <level>', 'what standard error gets, as JSON lines', 'info')
    .action(action(async () => (await load<typeof import('./controllers/host')>('controllers/host')).host));
}

function addKubernetes(program: Command, action: Action): void {
  program
    .command('kubernetes')
    .description("report a Kubernetes cluster's nodes, jobs and pods to the service, and act on its requests")
    .requiredOption('--cluster <name>', 'name of the cluster in the service; it is registered if necessary')
    .option('--kubeconfig <file>', 'how the cluster is reached; default: as kubectl, or the service account of the pod')
    .option('--context <name>', 'context of the kubeconfig; default: the current one')
    .option('--namespace <namespace...>', 'act in these namespaces only')
    .option(
      '--dumps-at-once <number>',
      'containers that are dumped at once in the cluster; half of them at most in one namespace; default: 32',
    )
    .option('--via <kubelet>', 'experimental: dump containers by the checkpoint API of the kubelet; see docs/agents.md')
    .option(
      '--workers',
      'run workers of profiles as pods: their images and commands, which the service names, with the rights that CRIU needs',
    )
    .option('--profiles <ids>', 'with --workers: only those of these profiles, separated by commas')
    .option('--worker-namespace <namespace>', 'with --workers: where they run; default: where this agent does')
    .option('--agent-image <image>', 'with --workers: the image that brings the agent and CRIU into their pods')
    .option(
      '--worker-secret <name>',
      'with --workers: the Secret there with the key of the store (store-key), and a token for --store service (token)',
    )
    .option('--worker-template <file>', 'with --workers: a partial pod, as YAML or JSON, for volumes, nodes and images')
    .option('--no-drain', 'in maintenance windows, move pods off their nodes, and do not cordon these')
    .option('--log-level <level>', 'what standard error gets, as JSON lines', 'info')
    .action(
      action(async () => (await load<typeof import('./controllers/kubernetes')>('controllers/kubernetes')).kubernetes),
    );
}

function addSlurm(program: Command, action: Action): void {
  program
    .command('slurm')
    .description("report a Slurm cluster's jobs and nodes to the service, and act on its requests")
    .requiredOption('--cluster <name>', 'name of the cluster in the service; it is registered if necessary')
    .option('--interval <seconds>', 'how often Slurm is asked', '3')
    .option('--node-agent <path>', 'the program ccp-agent on the nodes; default: the path of this one')
    .option(
      '--workers',
      'run workers of profiles as jobs: their commands, which the service names, run as the user of this agent',
    )
    .option('--profiles <ids>', 'with --workers: only those of these profiles, separated by commas')
    .option('--no-drain', 'in maintenance windows, move jobs off their nodes, and do not drain these')
    .option('--log-level <level>', 'what standard error gets, as JSON lines', 'info')
    .action(action(async () => (await load<typeof import('./controllers/slurm')>('controllers/slurm')).slurm));
}
