import { invalidField } from '../../1-platform/common/answers/problem';
import { isPluginName, LATEST, NAME_TEXT, VERSION, VERSION_TEXT } from './uploads/plugin-objects';

/** Plugins that one request names. */
const MAX_ASKED = 100;

export interface AskedPlugin {
  readonly name: string;
  /** Undefined: chosen by the service. */
  readonly version: string | undefined;
}

/** Reads `name,name@version`. @returns each once; undefined if it was left out, which means all */
export function askedPlugins(text: string | undefined): AskedPlugin[] | undefined {
  if (text === undefined) return undefined;
  const entries = text.split(',').map((entry) => entry.trim());
  if (entries.length > MAX_ASKED) throw invalidField('names', `must be at most ${MAX_ASKED}`);
  const asked = entries.map((entry, place) => {
    const [, name = '', version] = /^([^@]*)(?:@(.*))?$/s.exec(entry) ?? [];
    if (!isPluginName(name)) throw invalidField(`names[${place}]`, `${NAME_TEXT}; or name@version`);
    if (version !== undefined && !VERSION.test(version))
      throw invalidField(`names[${place}]`, `: the version ${VERSION_TEXT}`);
    return { name, version: version === LATEST ? undefined : version };
  });
  return [...new Map(asked.map((one) => [`${one.name}@${one.version ?? ''}`, one])).values()];
}
