import { readFileSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import { AgentFailure } from '../failures';

export interface Settings {
  /** Base address of the service, without a slash at its end. */
  readonly url: string;
  /** Absolute path. */
  readonly stateDir: string;
  /** Absolute path of the directory that keeps checkpoints, or `service`. */
  readonly store: string;
  /** Absolute path of the key that signs checkpoints; undefined: this machine has one of its own. */
  readonly storeKeyFile: string | undefined;
  /** `always`: images are hashed before each restore, also those that have not changed since then. */
  readonly verify: Verify;
  /** Dumps that run at once on this machine. All agents with the same state directory should agree. */
  readonly parallelDumps: number;
  /** Wins over the file. */
  readonly token: string | undefined;
  readonly tokenFile: string | undefined;
}

const VERIFY = ['changed', 'always'] as const;
export type Verify = (typeof VERIFY)[number];

/** Members of the file, and what the flags are called. */
const NAMES = {
  url: 'CCP_URL',
  stateDir: 'CCP_STATE_DIR',
  store: 'CCP_STORE',
  storeKeyFile: 'CCP_STORE_KEY_FILE',
  verify: 'CCP_VERIFY',
  parallelDumps: 'CCP_PARALLEL_DUMPS',
  tokenFile: 'CCP_TOKEN_FILE',
} as const satisfies Record<Exclude<keyof Settings, 'token'>, string>;

type Name = keyof typeof NAMES;

export const SERVICE_STORE = 'service';
const DEFAULT_URL = 'http://127.0.0.1:3000';
const MAX_PARALLEL_DUMPS = 1024;
const MAX_FILE_BYTES = 64 * 1024;

/** Values as they were given: a flag, a variable or a member of the file. */
export type Given = Readonly<Partial<Record<Name, string>>>;

/** Flags win over the environment, which wins over the file `--config`. Throws `AgentFailure`. */
export function readSettings(
  flags: Given & { readonly config?: string | undefined },
  environment: NodeJS.ProcessEnv = process.env,
): Settings {
  const config = flags.config ?? environment.CCP_CONFIG;
  const file = config === undefined ? {} : fileSettings(config);
  const given = (name: Name): string | undefined =>
    flags[name] ?? (environment[NAMES[name]] || undefined) ?? file[name];
  const stateDir = resolve(given('stateDir') ?? defaultStateDir(environment));
  return {
    url: addressOf(given('url') ?? DEFAULT_URL),
    stateDir,
    store: storeOf(given('store') ?? join(stateDir, 'store')),
    storeKeyFile: absolute(given('storeKeyFile')),
    verify: verifyOf(given('verify')),
    parallelDumps: dumpsOf(given('parallelDumps')),
    // Not a flag and not in the file: others could read it there.
    token: environment.CCP_TOKEN || undefined,
    tokenFile: given('tokenFile'),
  };
}

/** Settings for another `ccp-agent`, without those that are different on each machine. */
export function flagsOf({ stateDir, store, url, verify, tokenFile, storeKeyFile }: Settings): string[] {
  const given = ['--state-dir', stateDir, '--store', store, '--url', url, '--verify', verify];
  if (tokenFile !== undefined) given.push('--token-file', resolve(tokenFile));
  if (storeKeyFile !== undefined) given.push('--store-key-file', storeKeyFile);
  return given;
}

function defaultStateDir({ XDG_STATE_HOME }: NodeJS.ProcessEnv): string {
  const base = XDG_STATE_HOME && isAbsolute(XDG_STATE_HOME) ? XDG_STATE_HOME : join(homedir(), '.local/state');
  return join(base, 'ccp-agent');
}

function addressOf(text: string): string {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) throw invalid(`"${text}" is not an address of a service.`);
  if (url.username || url.password) throw invalid('The address of the service must not contain a password.');
  return text.replace(/(?<!\/)\/+$/, '');
}

const absolute = (path: string | undefined): string | undefined => (path === undefined ? undefined : resolve(path));

const storeOf = (text: string): string => (text === SERVICE_STORE ? text : resolve(text));

function verifyOf(text = 'changed'): Verify {
  const known = VERIFY.find((one) => one === text);
  if (known !== undefined) return known;
  throw invalid(`"${text}" is not what --verify may be: ${VERIFY.join(' or ')}.`);
}

function dumpsOf(text: string | undefined): number {
  const number = text === undefined ? availableParallelism() : Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= MAX_PARALLEL_DUMPS) return number;
  throw invalid(`"${text}" dumps at once: it must be a whole number from 1 to ${MAX_PARALLEL_DUMPS}.`);
}

function fileSettings(path: string): Given {
  let document: unknown;
  try {
    document = JSON.parse(contents(path, 'The settings file'));
  } catch (error) {
    if (error instanceof AgentFailure) throw error;
    throw invalid(`The settings file ${path} is not JSON.`);
  }
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw invalid(`The settings file ${path} is not a JSON object.`);
  const entries = Object.entries(document).map(([name, value]): [string, string] => {
    if (!Object.hasOwn(NAMES, name))
      throw invalid(`The settings file ${path} has the member "${name}". Known are ${Object.keys(NAMES).join(', ')}.`);
    if (typeof value !== 'string' && typeof value !== 'number')
      throw invalid(`The member "${name}" of the settings file ${path} is neither a text nor a number.`);
    return [name, String(value)];
  });
  return Object.fromEntries(entries);
}

function contents(path: string, what: string): string {
  try {
    const text = readFileSync(path, 'utf8');
    if (text.length <= MAX_FILE_BYTES) return text;
  } catch (error) {
    throw invalid(`${what} ${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`);
  }
  throw invalid(`${what} ${path} is longer than ${MAX_FILE_BYTES} bytes.`);
}

const invalid = (message: string): AgentFailure => new AgentFailure({ cause: 'invalid_setting', message });
