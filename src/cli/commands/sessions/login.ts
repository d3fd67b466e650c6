import { Service, type Schemas } from '../../api/service';
import { configPath, readConfig, writeConfig, type Config } from '../../contexts/config-file';
import { choiceOf, storedFor, targetOf, type Choice } from '../../contexts/target';
import { missing, usage } from '../../failures';
import { readToken } from '../../contexts/token-prompt';
import type { Context, Run } from '../context';

interface LogoutOptions {
  readonly all?: boolean;
}

/** Stores a token once the service has accepted it. */
export const login: Run<unknown> = async (context) => {
  const { printer, environment, flags } = context;
  const path = configPath(environment);
  const config = readStored(context, path);
  const choice = choiceOf(flags, environment, config);
  const { url } = choice;
  if (isInTheClear(url)) printer.say(`The token goes to ${url} unencrypted: use https where others can listen.`);
  const token = await readToken(context.input, printer.streams.err, url);
  const user = await userOf(new Service({ url, token, origin: 'your input' }));
  const name = flags.context ?? nameFor(choice, config);
  writeConfig(path, { current: name, contexts: { ...config.contexts, [name]: { url, token } } });
  if (printer.isJson) printer.document({ context: name, url, user });
  else printer.say(`You are ${user.name} (${user.role}) at ${url}. The context is ${name}.`);
  if (environment.CCP_TOKEN || environment.CCP_TOKEN_FILE)
    printer.say('CCP_TOKEN or CCP_TOKEN_FILE is set, and wins over the stored token.');
};

export const logout: Run<LogoutOptions> = (context, { all }) => {
  const { printer, environment, flags } = context;
  const path = configPath(environment);
  const config = readStored(context, path);
  const { current, contexts } = config;
  if (all) {
    writeConfig(path, { contexts: {} });
    return printer.say(`${Object.keys(contexts).length} tokens are forgotten.`);
  }
  const choice = choiceOf(flags, environment, config);
  if (choice.isNamed && choice.context === undefined) throw missing(`There is no context ${choice.name}.`);
  const name = flags.context ?? storedFor(choice, config);
  if (name === undefined) throw missing(`You are not logged in at ${choice.url}.`);
  const { [name]: _forgotten, ...kept } = contexts;
  writeConfig(path, { current: current === name ? undefined : current, contexts: kept });
  printer.say(`The token of ${name} is forgotten here. The service accepts it until an admin revokes it.`);
};

export const whoami: Run<unknown> = async (context) => {
  const { printer, environment, flags } = context;
  const { url, origin } = targetOf(flags, environment, readStored(context, configPath(environment)));
  const user = await userOf(context.service());
  if (printer.isJson) return printer.document({ url, ...user });
  printer.table(undefined, [
    ['address:', url],
    ['token of:', origin ?? '-'],
    ['name:', user.name],
    ['role:', user.role],
    ['scope:', user.scope],
    ['organisation:', user.organisation_id],
    ['id:', user.id],
  ]);
};

const readStored = ({ printer }: Context, path: string): Config =>
  readConfig(path, (sentence) => printer.say(sentence));

async function userOf(service: Service): Promise<Schemas['UserView']> {
  const user = await service.send('get_user', (api) =>
    api.GET('/v1/user', { headers: { accept: 'application/json' }, parseAs: 'json' }),
  );
  if (typeof user !== 'object') throw usage(`${service.target.url} does not answer as this service does.`);
  return user;
}

/**
 * The context that is meant, if it is new or of this service; else one that the service has already; else
 * its host, with a number if that is taken.
 */
function nameFor(choice: Choice, config: Config): string {
  if (choice.isNamed && choice.context === undefined && choice.name !== undefined) return choice.name;
  const known = storedFor(choice, config);
  if (known !== undefined) return known;
  const { contexts } = config;
  const { host } = new URL(choice.url);
  for (let number = 1; ; number++) {
    const name = number === 1 ? host : `${host}-${number}`;
    if (!Object.hasOwn(contexts, name)) return name;
  }
}

function isInTheClear(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}
