import { oneOf, UUID } from '../../api/rows';
import type { Schemas, Service } from '../../api/service';
import { kindNamed } from '../../kinds/kinds';
import type { Context, Run } from '../context';
import { wholeNumber } from '../whole-numbers';
import { request, type RequestOptions } from './request';

type Options = Pick<RequestOptions, 'idempotencyKey'>;
interface KeepOptions extends Options {
  readonly current?: string;
}
type Change = Schemas['UpdatePolicyBody'];

export const pause: Run<Options> = (context, options, [policy = '']) =>
  change(context, policy, { paused: true }, options);

export const resume: Run<Options> = (context, options, [policy = '']) =>
  change(context, policy, { paused: false }, options);

/** @param texts the policy, and how many checkpoints it keeps */
export const keep: Run<KeepOptions> = (context, options, [policy = '', number = '']) => {
  const { current } = options;
  const expected = current === undefined ? undefined : { keep_last: keptOf(current, 'current') };
  return change(context, policy, { keep_last: keptOf(number, 'keep'), expected }, options);
};

const keptOf = (text: string, name: string): number | null => (text === 'all' ? null : wholeNumber(text, name, 1));

async function change(
  { printer, service: connect }: Context,
  text: string,
  body: Change,
  options: Options,
): Promise<void> {
  const service = connect();
  const id = await idOf(service, text);
  const changed = await request(service, 'update_pipeline_policy', id, options, (api, header) =>
    api.PATCH('/v1/policy/pipeline/{policy_id}', { params: { path: { policy_id: id }, header }, body }),
  );
  if (printer.isJson) return printer.document(changed);
  printer.line(id);
}

async function idOf(service: Service, text: string): Promise<string> {
  const policies = kindNamed('policy');
  return UUID.test(text) ? text : policies.id(await oneOf(service, policies, text));
}
