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

/** The context and the address that are meant. */
export interface Choice {
  /** Of the context: by a flag, by the environment, or the current one. */
  readonly name: string | undefined;
  /** It was named, so it must exist. */
  readonly isNamed: boolean;
  /** Undefined if there is none of this name. */
  readonly context: StoredContext | undefined;
  readonly url: string;
}

/** Flags win over the environment, and that over the current context. A context of a flag is its address. */
export function choiceOf(flags: TargetFlags, environment: NodeJS.ProcessEnv, { current, contexts }: Config): Choice {
  const named = flags.context ?? (environment.CCP_CONTEXT || undefined);
  const name = named ?? current;
  const context = name !== undefined && Object.hasOwn(contexts, name) ? contexts[name] : undefined;
  const isChosen = flags.context !== undefined && context !== undefined;
  const url = flags.url ?? (isChosen ? undefined : environment.CCP_URL || undefined) ?? context?.url ?? DEFAULT_URL;
  return { name, isNamed: named !== undefined, context, url: addressOf(url) };
}

/** The context whose token goes to the address: the one that is meant, if stored for it, else any other. */
export function storedFor({ name, context, url }: Choice, { contexts }: Config): string | undefined {
  if (context?.url === url) return name;
  return Object.keys(contexts).find((other) => contexts[other]?.url === url);
}

/** A stored token is sent to the service that it was stored for, and to no other. */
export function targetOf(flags: TargetFlags, environment: NodeJS.ProcessEnv, config: Config): Target {
  const choice = choiceOf(flags, environment, config);
  const { name, isNamed, context, url } = choice;
  if (isNamed && context === undefined)
    throw usage(
      `There is no context ${name}.`,
      '"ccp context list" shows yours, "ccp login --context NAME" makes one.',
    );
  if (flags.tokenFile !== undefined) return { url, tokenFile: flags.tokenFile, origin: `the file ${flags.tokenFile}` };
  // A context by name is a choice of both: a token for another service must not go there.
  if (flags.context === undefined) {
    const { CCP_TOKEN: token, CCP_TOKEN_FILE: tokenFile } = environment;
    if (token) return { url, token, origin: 'CCP_TOKEN' };
    if (tokenFile) return { url, tokenFile, origin: 'CCP_TOKEN_FILE' };
  }
  const found = storedFor(choice, config);
  return found === undefined ? { url } : { url, token: config.contexts[found]?.token, origin: `the context ${found}` };
}

/** @throws CliFailure if it is no address of a service */
export function addressOf(text: string): string {
  // Node 20 has no URL.parse.
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw usage(`"${text}" is not an address of a service, such as https://ccp.example.com.`);
  if (url.username || url.password) throw usage('The address of the service must not contain a password.');
  return text.replace(/(?<!\/)\/+$/, '');
}
