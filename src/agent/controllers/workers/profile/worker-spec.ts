import { SERVICE_STORE } from '../../../settings/settings';
import { members } from '../../common/members';
import type { components } from '../../../service/schema';
import type { StoreKind, WorkerNetwork, WorkerResources } from '../worker-runs';

export type Profile = components['schemas']['ProfileView'];

/** How the workers of a profile are run, with its defaults. */
export interface WorkerSpec {
  readonly command: readonly string[];
  /** Of its container; undefined: the usual one, where it runs in a container. */
  readonly image: string | undefined;
  /** 0: the agent chooses one. */
  readonly port: number;
  readonly readyPath: string;
  readonly variables: Readonly<Record<string, string>>;
  readonly network: WorkerNetwork;
  /** undefined: the store of the agent. */
  readonly store: StoreKind | undefined;
  readonly startTimeoutMs: number;
  readonly stopGraceMs: number;
  /** Whether the agent takes checkpoints of its workers. */
  readonly checkpoints: boolean;
  readonly resources: WorkerResources;
  /** With which engines start, as the profile names them; undefined: it does not. */
  readonly engineFlags: unknown;
}

const READY_PATH = '/health';
const START_TIMEOUT_SECONDS = 600;
const STOP_GRACE_SECONDS = 30;
const MS = 1_000;
/** Who takes checkpoints, if nobody else is named. */
const CONTROLLER = 'controller';

/** @returns undefined if its workers are not commands: this agent does not run them */
export function workerSpecOf({ hosting_mode: mode, spec }: Profile): WorkerSpec | undefined {
  const { worker, checkpoint, checkpoint_owner: owner, engine_flags: engineFlags } = members(spec);
  const { command, image, port, ready_path: path, env, network, store, resources, ...times } = members(worker);
  if (!isTexts(command) || command.length === 0) return undefined;
  const isCheckpointed = mode === 'checkpointed' || checkpoint === true;
  return {
    command,
    image: typeof image === 'string' ? image : undefined,
    port: numberOr(port, 0),
    readyPath: typeof path === 'string' ? path : READY_PATH,
    variables: Object.fromEntries(Object.entries(members(env)).map(([name, value]) => [name, String(value)])),
    network: network === 'host' || network === 'isolated' ? network : isCheckpointed ? 'isolated' : 'host',
    store: store === SERVICE_STORE || store === 'directory' ? store : undefined,
    startTimeoutMs: numberOr(times.start_timeout_seconds, START_TIMEOUT_SECONDS) * MS,
    stopGraceMs: numberOr(times.stop_grace_seconds, STOP_GRACE_SECONDS) * MS,
    checkpoints: isCheckpointed && (typeof owner !== 'string' || owner === '' || owner === CONTROLLER),
    resources: resourcesOf(members(resources)),
    engineFlags: engineFlags ?? undefined,
  };
}

const resourcesOf = ({ cpus, memory_mib: memoryMib, gpus }: Readonly<Record<string, unknown>>): WorkerResources => ({
  cpus: countOf(cpus),
  memoryMib: countOf(memoryMib),
  gpus: countOf(gpus),
});

/** Profiles that are older than this member may have anything there. */
const countOf = (value: unknown): number | undefined =>
  Number.isSafeInteger(value) && (value as number) > 0 ? (value as number) : undefined;

const isTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every((one) => typeof one === 'string');

const numberOr = (value: unknown, fallback: number): number => (typeof value === 'number' ? value : fallback);
