import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { usage } from '../failures';

/** A service, and the token with which somebody uses it. */
export interface StoredContext {
  readonly url: string;
  readonly token: string;
}

export interface Config {
  /** The context that is used if none is named. */
  readonly current?: string | undefined;
  readonly contexts: Readonly<Record<string, StoredContext>>;
}

const PRIVATE_FILE = 0o600;
const PRIVATE_FOLDER = 0o700;
const READ_BY_OTHERS = 0o077;
const MAX_BYTES = 1024 * 1024;

/** Where the tokens of this user are: `ccp/config.json` in the configuration directory. */
export function configPath({ XDG_CONFIG_HOME }: NodeJS.ProcessEnv): string {
  const base = XDG_CONFIG_HOME && isAbsolute(XDG_CONFIG_HOME) ? XDG_CONFIG_HOME : join(homedir(), '.config');
  return join(base, 'ccp/config.json');
}

/**
 * @returns no contexts if there is no file
 * @param warn gets a sentence if others can read the tokens
 */
export function readConfig(path: string, warn: (sentence: string) => void): Config {
  let text: string;
  try {
    const { mode, size } = statSync(path);
    if (size > MAX_BYTES) throw usage(`The file ${path} is longer than ${MAX_BYTES} bytes.`);
    if ((mode & READ_BY_OTHERS) !== 0)
      warn(`Others can read the tokens in ${path}. To repair it: chmod 600 '${path}'.`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return { contexts: {} };
    if (code === undefined) throw error;
    throw usage(`The file ${path} cannot be read: ${code}.`);
  }
  const document = parsed(text);
  if (!isConfig(document))
    throw usage(`The file ${path} does not hold contexts.`, 'Delete it, and log in again: "ccp login".');
  return document;
}

/** Readers see the former file or this one, whole. Nobody but its owner can read it. */
export function writeConfig(path: string, config: Config): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER });
  const mine = join(folder, `.config.${process.pid}.json`);
  try {
    rmSync(mine, { force: true });
    writeFileSync(mine, `${JSON.stringify(config, null, 2)}\n`, { mode: PRIVATE_FILE, flag: 'wx', flush: true });
    // The mask of the process may have taken more away.
    chmodSync(mine, PRIVATE_FILE);
    renameSync(mine, path);
  } catch (error) {
    rmSync(mine, { force: true });
    throw usage(`The file ${path} cannot be written: ${(error as NodeJS.ErrnoException).code ?? String(error)}.`);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isContext = (value: unknown): boolean =>
  isObject(value) && typeof value.url === 'string' && typeof value.token === 'string';

const isConfig = (value: unknown): value is Config =>
  isObject(value) &&
  ['undefined', 'string'].includes(typeof value.current) &&
  isObject(value.contexts) &&
  Object.values(value.contexts).every(isContext);
