import { setFlagsFromString } from 'node:v8';
import { AgentFailure, failureOf } from '../failures';
import { podOfThisProcess } from '../kubernetes/pod-identity';
import { chosenReference, instructionIn, wantedWorkload } from '../kubernetes/restore-instruction';
import { leaveFailure } from '../kubernetes/termination-message';
import { networkWishOf } from '../network/network-plan';
import { SERVICE_STORE } from '../settings/settings';
import { requireCapabilities } from '../supervisor/capabilities';
import { UUID } from '../uuid';
import { jobOfThisProcess, requireOfJob, workloadOfJob, type JobEnvironment } from '../slurm/job-identity';
import { isDiscarded, isFollowed } from '../slurm/restore-instruction';
import type { Manifest } from '../store/manifest';
import { ownEnvironment } from '../own-environment';
import type { WorkloadStatus } from '../supervisor/control/control-protocol';
import { isSignal } from '../supervisor/signals';
import { ORDER_VARIABLE, orderFrom, orderIn, type StandbyOrder } from '../supervisor/standby';
import type { WorkloadFolder } from '../supervisor/state/workload-folder';
import { Supervisor } from '../supervisor/supervisor';
import type { Treatment } from '../supervisor/treatment';
import type { Context } from './context';
import { leave } from './leave';
import { load } from './load';
import { folderFor, nameFrom, namespaceOf, ownWorkload } from './names';
import { say } from './output/output';
import type { Announced } from './workload/job-worker';
import type { OfJob } from './workload/own-checkpoints';
import type { Found } from './workload/workload-tools';
import { makePrivateDirectories } from './private-directories';

interface Options {
  readonly uid?: string;
  readonly name?: string;
  readonly namespace?: string;
  readonly restore?: string;
  readonly allowIncompatible?: boolean;
  readonly checkpointOnTerm?: boolean;
  readonly grace: string;
  readonly quiesce?: string;
  readonly resume?: string;
  readonly notifySignal?: string;
  readonly network?: string;
  readonly publish?: string;
  readonly publishAddress?: string;
  readonly standby?: boolean;
  readonly ordered?: boolean;
  // Only in an order.
  readonly restoreStore?: string;
  readonly port?: string;
  readonly announce?: string;
  // Only of a supervisor that stood by.
  readonly found?: () => Promise<Found | undefined>;
}

const AUTO = 'auto';
const MAX_GRACE_SECONDS = 86_400;
/** The controller of Slurm asks as soon as it sees that the job runs. */
const ASKED_WITHIN_SECONDS = 60;
/** What the workload must not learn, and an image must not contain. */
const SECRETS = ['CCP_TOKEN', 'CCP_TOKEN_FILE', 'CCP_STORE_KEY_FILE'];

/**
 * A supervisor waits nearly all the time. Compilers would take 10 MB, for code that hardly runs. One that
 * compresses and sends images keeps them.
 */
const INTERPRETED = ['--no-opt', '--no-maglev', '--no-sparkplug'];

export async function run(context: Context, options: Options, command: readonly string[]): Promise<void> {
  if (context.settings.store !== SERVICE_STORE) INTERPRETED.forEach((flag) => setFlagsFromString(flag));
  if (options.standby) {
    const tools = await loadTools();
    // If something is missing, the restore says so.
    const found = tools.find(context.settings).catch(() => undefined);
    // Now, and not when whoever waits for the restore asks for its end.
    await tools.prepareCheckpoints(context.settings).catch(() => undefined);
    const order = await orderFrom(process.stdin);
    return order && follow(context, { ...options, found: () => found }, order);
  }
  try {
    await (options.ordered ? follow(context, options, orderOfPod()) : supervise(context, options, command));
  } catch (error) {
    if (podOfThisProcess()) leaveFailure(failureOf(error));
    throw error;
  }
}

/** The workload does not get it. */
function orderOfPod(): StandbyOrder {
  const { [ORDER_VARIABLE]: given = '' } = process.env;
  delete process.env[ORDER_VARIABLE];
  return orderIn(given);
}

async function follow(context: Context, options: Options, order: StandbyOrder): Promise<void> {
  const { command: ordered = [], variables, announce: owner, uid, port } = order;
  const begin = async (of: Partial<Announced> = {}) => {
    if (port !== undefined) await requireFreePort(Number(port));
    const { address: publishAddress = options.publishAddress, recorded } = of;
    await supervise(context, { ...options, publishAddress, ...order }, ordered, variables, recorded);
  };
  if (owner === undefined) return begin();
  const { announced } = await load<typeof import('./workload/job-worker')>('workload/job-worker');
  await announced({ uid, owner }, (sentence) => say(context.output, sentence), begin);
}

/** Requests for the workload would reach somebody else. No checkpoint is to blame for that. */
async function requireFreePort(port: number): Promise<void> {
  const { isTaken } = await load<typeof import('../network/connections')>('../network/connections');
  if (await isTaken(port))
    throw new AgentFailure({
      cause: 'network_unavailable',
      message: `Somebody else listens on the port ${port} of this machine.`,
    });
}

const loadTools = () => load<typeof import('./workload/workload-tools')>('workload/workload-tools');

const loadLastCheckpoint = () => load<typeof import('./workload/last-checkpoint')>('workload/last-checkpoint');

async function supervise(
  context: Context,
  options: Options,
  command: readonly string[],
  variables: Readonly<Record<string, string>> = {},
  recorded?: (status: WorkloadStatus) => void,
): Promise<void> {
  const { settings, output } = context;
  const name = options.name ?? ownWorkload()?.name ?? nameFrom(command[0] ?? '');
  if (name === undefined) throw usage('The workload needs a --name.');
  if (command.length === 0 && options.restore === undefined) throw usage('There is no command: put it behind --.');
  const folder = folderFor(settings, namespaceOf(options.namespace), name);
  const given = treatmentOf(options);
  const network = networkWishOf(options.network, options.publish, options.publishAddress);
  const job = jobOfThisProcess();
  // Under a name of their own, workloads go on in other jobs.
  const numbered = job && folder.name === workloadOfJob(job).name ? job : undefined;
  let treatment = given;
  let ofJob: OfJob = {};
  // Neither the workload nor a hook gets them.
  for (const secret of SECRETS) delete process.env[secret];
  requireCapabilities();
  makePrivateDirectories(settings);

  const inform = (sentence: string): void => say(output, sentence);
  const tools = once(async () => {
    const { find, workloadTools } = await loadTools();
    const found = (await options.found?.()) ?? (await find(settings));
    const noted = { treatment: () => treatment, ofJob: () => ofJob };
    return workloadTools(settings, found, noted, inform, options.restoreStore);
  });
  const newestOf = async (of: WorkloadFolder, counts?: Counts) =>
    (await tools()).newest({ folder: of, command, counts });
  const newest = (counts?: Counts) => newestOf(folder, counts);
  const instruction = await instructionFor(options, newest);
  const wanted = podOfThisProcess() && wantedWorkload(process.env);
  const own = async () => {
    const found = await newest();
    if (!numbered) return found;
    const { manifest, ofJob: noted } = await (await loadCheckpoints()).newestOfJob(numbered, found, inform);
    ofJob = noted;
    return manifest;
  };
  const automatic = async () =>
    (await own()) ?? (wanted && (await newestOf(folderFor(settings, wanted.namespace, wanted.name))));
  const isAutomatic = options.restore === AUTO || (options.restore === undefined && wanted !== undefined);
  const reference = instruction?.reference ?? (isAutomatic ? (await automatic())?.reference : options.restore);
  if (reference === undefined && isAutomatic) await (await tools()).requireStore(folder);
  if (reference === undefined && command.length === 0)
    throw new AgentFailure({ cause: 'checkpoint_missing', message: `There is no checkpoint of ${name} to restore.` });
  // The program may be replaced by that of another release while the workload runs. A checkpoint needs all of
  // this one, and may be the last thing that the workload has time for.
  const prepared = once(async () => {
    await (await loadTools()).prepareCheckpoints(settings);
    if (treatment.checkpointOnTermSeconds !== undefined) await loadLastCheckpoint();
  });
  const tidying = job && tidiedBeside(settings.stateDir, folder, job);
  const running = Supervisor.run({
    uid: uidOf(options.uid) ?? instruction?.uid ?? podUid(),
    folder,
    command,
    env: { ...ownEnvironment(), ...variables },
    network,
    restore:
      reference === undefined
        ? undefined
        : async (...begin) => {
            const ready = await tools();
            const manifest = await ready.manifest(reference);
            if (instruction && job) requireOfJob(manifest, job);
            // With its note, which a controller of an earlier release does not compare in a job that waits.
            if (instruction && numbered)
              ofJob = await (await loadCheckpoints()).ofInstructedJob(numbered, manifest, inform);
            treatment = { ...manifest.workload.treatment, ...given };
            const { allowIncompatible } = instruction ?? options;
            return ready.restore({ manifest, command, folder, allowIncompatible })(...begin);
          },
    askedWithinSeconds: instruction && ASKED_WITHIN_SECONDS,
    takeCheckpoint: async (...wish) => (await tools()).takeCheckpoint(...wish),
    checkpointOnTermSeconds: () => treatment.checkpointOnTermSeconds,
    announceLast: async (uid) => (await loadLastCheckpoint()).announceLastCheckpoint(settings, folder, podUid() ?? uid),
    recorded: (status) => {
      recorded?.(status);
      if (status.phase !== 'running') return;
      tidying?.begin();
      // If it fails now, the checkpoint says why.
      prepared().catch(() => undefined);
    },
    leaves: leave,
    output: process.stdout,
    say: inform,
  });
  // Its modules load while the supervisor waits for the lock of its folder.
  if (reference !== undefined) tools().catch(() => undefined);
  context.exit(await running.finally(() => tidying?.end()));
}

/** Removes what earlier jobs left, once the own workload runs, and until it has ended. */
function tidiedBeside(stateDir: string, folder: WorkloadFolder, job: JobEnvironment) {
  const over = new AbortController();
  const begin = once(async () => {
    const { removeEndedJobs } = await load<typeof import('./workload/ended-jobs')>('workload/ended-jobs');
    const { isForgotten } = await load<typeof import('../slurm/shown-job')>('../slurm/shown-job');
    const { signal } = over;
    const isOfSlurm = folder.namespace === workloadOfJob(job).namespace;
    await removeEndedJobs(stateDir, folder, {
      signal,
      isForgotten: isOfSlurm ? (jobId) => isForgotten(jobId, signal) : undefined,
    });
  });
  return {
    // The next job tries it again. This one has nothing to do with it.
    begin: () => void begin().catch(() => undefined),
    end: () => over.abort(),
  };
}

type Counts = (manifest: Manifest) => boolean;

/** What a controller wants this process to restore, and how it recognises it. */
interface Instruction {
  readonly reference: string;
  readonly uid: string;
  readonly allowIncompatible?: boolean;
}

/**
 * In a job, a reference on the command line wins. A pod that was made for a restore has the command line of
 * the one before it.
 */
async function instructionFor(
  { restore }: Options,
  newest: (counts: Counts) => Promise<Manifest | undefined>,
): Promise<Instruction | undefined> {
  const job = jobOfThisProcess();
  if (!job) {
    const ofPod = podOfThisProcess() && instructionIn(process.env);
    const own = ofPod && (await newest(({ workload }) => workload.uid === ofPod.uid));
    return ofPod && { ...ofPod, reference: chosenReference(ofPod, own) };
  }
  if (job.restarts === 0 || (restore !== undefined && restore !== AUTO)) return undefined;
  const { instructionOfJob } = await load<typeof import('../slurm/job-comment')>('../slurm/job-comment');
  const instruction = await instructionOfJob(job.jobId);
  // One for a later run is not followed, and costs no look at the store.
  if (!instruction || job.restarts < instruction.run) return undefined;
  const ofLater = ({ workload }: Manifest) => !isDiscarded(instruction, workload);
  const last = job.restarts === instruction.run ? undefined : await newest(ofLater);
  return isFollowed(instruction, job.restarts, last) ? instruction : undefined;
}

const loadCheckpoints = () => load<typeof import('./workload/own-checkpoints')>('workload/own-checkpoints');

/** Static pods have another one. */
function podUid(): string | undefined {
  const uid = podOfThisProcess()?.uid;
  return uid !== undefined && UUID.test(uid) ? uid : undefined;
}

/** Makes a thing when it is first needed; a failure is not kept. */
function once<T>(make: () => Promise<T>): () => Promise<T> {
  let made: Promise<T> | undefined;
  return () =>
    (made ??= make().catch((error: unknown) => {
      made = undefined;
      throw error;
    }));
}

const treatmentOf = ({ quiesce, resume, notifySignal, checkpointOnTerm, grace }: Options): Treatment => ({
  ...(quiesce === undefined ? {} : { quiesce }),
  ...(resume === undefined ? {} : { resume }),
  ...(notifySignal === undefined ? {} : { notifySignal: signalOf(notifySignal) }),
  ...(checkpointOnTerm ? { checkpointOnTermSeconds: graceOf(grace) } : {}),
});

function signalOf(text: string): NodeJS.Signals {
  if (isSignal(text)) return text;
  throw usage(`"${text}" is not the name of a signal.`);
}

function uidOf(text: string | undefined): string | undefined {
  if (text === undefined || UUID.test(text)) return text;
  throw usage(`"${text}" is not a UUID in lower case.`);
}

function graceOf(text: string): number {
  const seconds = Number(text);
  if (seconds > 0 && seconds <= MAX_GRACE_SECONDS) return seconds;
  throw usage(`"${text}" is not a grace period in seconds, of at most ${MAX_GRACE_SECONDS}.`);
}

const usage = (message: string): AgentFailure => new AgentFailure({ cause: 'invalid_setting', message });
