import { usage } from '../failures';
import type { Config, StoredContext } from './config-file';

/** Flags that say which service, and as whom. */
export interface TargetFlags {
  readonly context?: string | undefined;
  readonly url?: string | undefined;
  readonly tokenFile?: string | undefined;
}

/** The service that a command uses, and the token that it sends. */
export interface Target {
  /** Without a slash at its end. */
  readonly url: string;
  readonly token?: string | undefined;
  readonly tokenFile?: string | undefined;
  /** Where the token is from, for messages; undefined without one. */
  readonly origin?: string | undefined;
}

export const DEFAULT_URL = 'http://127.0.0.1:3000';

/**
 * Flags win over the environment, which wins over the current context. A stored token is sent to the service
 * that it was stored for, and to no other.
 */
export function targetOf(flags: TargetFlags, environment: NodeJS.ProcessEnv, { current, contexts }: Config): Target {
  const named = flags.context ?? (environment.CCP_CONTEXT || undefined);
  const name = named ?? current;
  const context = name === undefined ? undefined : contexts[name];
  if (named !== undefined && context === undefined)
    throw usage(
      `There is no context ${named}.`,
      '"ccp context list" shows yours, "ccp login --context NAME" makes one.',
    );
  const url = addressOf(
    flags.url ??
      (flags.context === undefined ? environment.CCP_URL || undefined : undefined) ??
      context?.url ??
      DEFAULT_URL,
  );
  if (flags.tokenFile !== undefined) return { url, tokenFile: flags.tokenFile, origin: `the file ${flags.tokenFile}` };
  // A context by name is a choice of both: a token for another service must not go there.
  if (flags.context === undefined) {
    const { CCP_TOKEN: token, CCP_TOKEN_FILE: tokenFile } = environment;
    if (token) return { url, token, origin: 'CCP_TOKEN' };
    if (tokenFile) return { url, tokenFile, origin: 'CCP_TOKEN_FILE' };
  }
  const [found, stored] = storedFor(url, [[name, context], ...Object.entries(contexts)]) ?? [];
  return { url, token: stored?.token, origin: found === undefined ? undefined : `the context ${found}` };
}

const storedFor = (
  url: string,
  entries: readonly (readonly [string | undefined, StoredContext | undefined])[],
): readonly [string | undefined, StoredContext | undefined] | undefined =>
  entries.find(([, context]) => context?.url === url);

/** @throws CliFailure if it is no address of a service */
export function addressOf(text: string): string {
  // Node 20 has no URL.parse.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw usage(`"${text}" is not an address of a service, such as https://ccp.example.com.`);
  if (url.username || url.password) throw usage('The address of the service must not contain a password.');
  return text.replace(/\/+$/, '');
}
