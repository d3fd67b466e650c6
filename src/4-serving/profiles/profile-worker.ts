import type { FieldFault } from '../../1-platform/common/answers/problem';
import { isJsonObject, type JsonObject } from '../../1-platform/common/json/json';

/** The member of a spec that says how controllers run the workers of a profile. */
const MEMBER = 'worker';

const MAX_ARGUMENTS = 256;
const MAX_TEXT = 4_096;
const MAX_VARIABLES = 256;
const MAX_PORT = 65_535;
const MAX_SECONDS = 86_400;
const MAX_CPUS = 4_096;
const MAX_MEMORY_MIB = 64 * 1_024 * 1_024;
const MAX_GPUS = 1_024;

const VARIABLE = /^[A-Za-z_]\w{0,254}$/;
/** The agent sets it. */
const OWN_VARIABLE = 'PORT';
const PATH = /^\/[\x21-\x7e]*$/;

/** Where its checkpoints are: in a directory that the agent names, or in the service's object storage. */
const STORES: readonly unknown[] = ['directory', 'service'];
const NETWORKS: readonly unknown[] = ['host', 'isolated'];

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= MAX_TEXT;

const isCount = (value: unknown, from: number, to: number): boolean =>
  Number.isSafeInteger(value) && (value as number) >= from && (value as number) <= to;

const isCommand = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.length <= MAX_ARGUMENTS &&
  isText(value[0]) &&
  value.every((one) => one === '' || isText(one));

/** What a member must be, and the sentence if it is not. */
type Check = readonly [isValid: (value: unknown) => boolean, sentence: string];

const MEMBERS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['command', [isCommand, `must be a list of 1 to ${MAX_ARGUMENTS} strings: the program and its arguments`]],
  ['image', [isText, 'must be a string that is not empty']],
  ['port', [(value) => isCount(value, 0, MAX_PORT), `must be an integer from 0 to ${MAX_PORT}`]],
  ['ready_path', [(value) => isText(value) && PATH.test(value), 'must be a path that begins with / and has no spaces']],
  ['env', [isJsonObject, 'must be an object']],
  ['resources', [isJsonObject, 'must be an object']],
  ['store', [(value) => STORES.includes(value), `must be one of ${STORES.join(', ')}`]],
  ['network', [(value) => NETWORKS.includes(value), `must be one of ${NETWORKS.join(', ')}`]],
  ['start_timeout_seconds', [(value) => isCount(value, 1, MAX_SECONDS), `must be an integer from 1 to ${MAX_SECONDS}`]],
  ['stop_grace_seconds', [(value) => isCount(value, 0, MAX_SECONDS), `must be an integer from 0 to ${MAX_SECONDS}`]],
]);

/** What a batch system reserves for each worker, and the most of each. */
const RESOURCES: ReadonlyMap<string, number> = new Map([
  ['cpus', MAX_CPUS],
  ['memory_mib', MAX_MEMORY_MIB],
  ['gpus', MAX_GPUS],
]);

/** Whether controllers run its workers and report their addresses. */
export const hasWorker = (spec: unknown): boolean => isJsonObject(spec) && isJsonObject(spec[MEMBER]);

/** The error in the worker of a spec, with its member; undefined if it is valid or absent. */
export function workerFault(spec: unknown): FieldFault | undefined {
  const worker = isJsonObject(spec) ? spec[MEMBER] : undefined;
  if (worker === undefined || worker === null) return undefined;
  const at = `spec.${MEMBER}`;
  if (!isJsonObject(worker)) return { field: at, message: 'must be an object' };
  for (const [name, value] of Object.entries(worker)) {
    const check = MEMBERS.get(name);
    if (!check) return { field: `${at}.${name}`, message: 'is unknown' };
    if (!check[0](value)) return { field: `${at}.${name}`, message: check[1] };
  }
  if (worker.command === undefined && worker.image === undefined)
    return { field: `${at}.command`, message: 'is required, or an image' };
  return variableFault(worker.env, `${at}.env`) ?? resourceFault(worker.resources, `${at}.resources`);
}

function resourceFault(resources: unknown, at: string): FieldFault | undefined {
  for (const [name, value] of Object.entries((resources ?? {}) as JsonObject)) {
    const most = RESOURCES.get(name);
    if (most === undefined) return { field: `${at}.${name}`, message: 'is unknown' };
    if (!isCount(value, 1, most)) return { field: `${at}.${name}`, message: `must be an integer from 1 to ${most}` };
  }
  return undefined;
}

function variableFault(env: unknown, at: string): FieldFault | undefined {
  const variables = Object.entries((env ?? {}) as JsonObject);
  if (variables.length > MAX_VARIABLES) return { field: at, message: `must have at most ${MAX_VARIABLES} members` };
  for (const [name, value] of variables) {
    const field = `${at}.${name}`;
    if (!VARIABLE.test(name)) return { field, message: 'is not the name of a variable' };
    if (name === OWN_VARIABLE) return { field, message: 'is set by the agent: name the port as worker.port' };
    if (value !== '' && !isText(value)) return { field, message: `must be a string of at most ${MAX_TEXT} characters` };
  }
  return undefined;
}
