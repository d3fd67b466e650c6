import { configPath, readConfig, writeConfig } from '../../contexts/config-file';
import { missing } from '../../failures';
import type { Run } from '../context';

export const listContexts: Run<unknown> = ({ printer, environment }) => {
  const { current, contexts } = readConfig(configPath(environment), (sentence) => printer.say(sentence));
  const rows = Object.entries(contexts).map(([name, { url }]) => ({ name, url, current: name === current }));
  // Tokens are in no answer.
  if (printer.isJson) return printer.document(rows);
  if (printer.format === 'name')
    return printer.table(
      undefined,
      rows.map(({ name }) => [name]),
    );
  if (rows.length === 0) return printer.say('You are not logged in: "ccp login --url ADDRESS" stores a token.');
  printer.table(
    ['CURRENT', 'NAME', 'ADDRESS'],
    rows.map(({ name, url, current: isCurrent }) => [isCurrent ? '*' : '', name, url]),
  );
};

export const useContext: Run<unknown> = ({ printer, environment }, _options, [name = '']) => {
  const path = configPath(environment);
  const config = readConfig(path, (sentence) => printer.say(sentence));
  if (!Object.hasOwn(config.contexts, name))
    throw missing(`There is no context ${name}.`, '"ccp context list" shows yours.');
  writeConfig(path, { ...config, current: name });
  printer.say(`Commands now use ${name}, ${config.contexts[name]?.url}.`);
};
