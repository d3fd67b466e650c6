import { oneOf, UUID } from '../../api/rows';
import type { Schemas, Service } from '../../api/service';
import { usage } from '../../failures';
import { kindNamed } from '../../kinds/kinds';
import type { Run } from '../context';
import { wholeNumber } from '../whole-numbers';
import { request, type RequestOptions } from './request';

/** False: without it. */
interface Options extends RequestOptions {
  readonly name?: string;
  readonly budget?: string | false;
  readonly rate?: string | false;
  readonly models?: string;
  readonly allModels?: true;
  readonly tenant?: string | false;
  readonly currentBudget?: string;
  readonly currentRate?: string;
  readonly currentModels?: string;
}

type Changes = Schemas['ChangeableKeyMembers'];

export const changeKey: Run<Options> = async ({ printer, service: connect }, options, [text = '']) => {
  const changes = changesOf(options);
  if (Object.keys(changes).length === 0) throw usage('Name what to change: "ccp key change --help" shows what can be.');
  const expected = expectedOf(options);
  // A service of an older version does not know the member.
  const body = Object.keys(expected).length === 0 ? changes : { ...changes, expected };
  const service = connect();
  const path = { key_id: await idOf(service, text) };
  const key = await request(service, 'update_inference_key', path.key_id, options, (api, header) =>
    api.PATCH('/v1/inference/keys/{key_id}', { params: { path, header }, body }),
  );
  if (printer.isJson) printer.document(key);
  else printer.line(key.key_id);
};

function changesOf({ name, budget, rate, models, allModels, tenant }: Options): Changes {
  return {
    ...(name === undefined ? {} : { name }),
    ...(budget === undefined ? {} : { budget_usd: budget === false ? null : dollarsOf(budget, 'budget') }),
    ...(rate === undefined ? {} : { rate_limit_rps: rate === false ? null : wholeNumber(rate, 'rate', 1) }),
    ...(models === undefined ? {} : { models: namesIn(models) }),
    ...(allModels ? { models: [] } : {}),
    ...(tenant === undefined ? {} : { tenant_id: tenant === false ? null : tenant }),
  };
}

/** The key is changed only if it has all of this. */
function expectedOf({ currentBudget: budget, currentRate: rate, currentModels: models }: Options): Changes {
  return {
    ...(budget === undefined ? {} : { budget_usd: budget === 'none' ? null : dollarsOf(budget, 'current-budget') }),
    ...(rate === undefined ? {} : { rate_limit_rps: rate === 'none' ? null : wholeNumber(rate, 'current-rate', 1) }),
    ...(models === undefined ? {} : { models: models === 'all' ? [] : namesIn(models) }),
  };
}

const namesIn = (text: string): string[] => text.split(',').map((one) => one.trim());

function dollarsOf(text: string, option: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text);
  throw usage(`--${option}: "${text}" is not an amount of dollars such as 25 or 0.5.`);
}

/** A whole id needs no look. */
async function idOf(service: Service, text: string): Promise<string> {
  const keys = kindNamed('key');
  return UUID.test(text) ? text : keys.id(await oneOf(service, keys, text));
}
