import { randomUUID } from 'node:crypto';
import type { Answer, Api, Service } from '../../api/service';
import { CliFailure, EXIT, type FailureFacts } from '../../failures';
import type { Printer } from '../../output/printer';
import type { Context } from '../context';
import { untilReady, type WaitOptions } from '../waiting';

export interface RequestOptions extends WaitOptions {
  readonly idempotencyKey?: string;
}

interface Keyed {
  readonly 'Idempotency-Key': string;
}

/**
 * Sends a request that changes something, once, however many attempts it takes.
 * @param subject by which a repetition names the same thing: a name may mean another one by then. Undefined
 * if the request depends on the state of things: a repetition may differ, and is better than the same one.
 * @throws CliFailure with the key, if it is not known whether the service carried the request out
 */
export async function request<T>(
  service: Service,
  operation: string,
  subject: string | undefined,
  { idempotencyKey: given }: Pick<RequestOptions, 'idempotencyKey'>,
  call: (api: Api, header: Keyed) => Promise<Answer<T>>,
): Promise<T> {
  const key = given ?? randomUUID();
  try {
    return await service.send(operation, (api) => call(api, { 'Idempotency-Key': key }));
  } catch (error) {
    if (!(error instanceof CliFailure) || error.facts.exit !== EXIT.unreachable) throw error;
    throw new CliFailure({ ...error.facts, ...repetition(subject, key) }, { cause: error });
  }
}

function repetition(subject: string | undefined, key: string): Pick<FailureFacts, 'remedy' | 'idempotencyKey'> {
  const unknown = 'The service may have carried it out.';
  if (subject === undefined) return { remedy: `${unknown} Repeat the command: it is safe.` };
  return {
    remedy:
      `${unknown} Within 24 hours, repeat the command for ${subject} with --idempotency-key ${key}: ` +
      'it is then carried out once.',
    idempotencyKey: key,
  };
}

/** Prints the action, after its end if that is wanted. */
export async function finish(
  { printer }: Context,
  service: Service,
  actionId: string,
  options: WaitOptions,
): Promise<void> {
  if (options.wait) {
    printer.say(`The action ${actionId} was requested.`);
    await untilReady(service, printer, actionId, options);
  }
  if (!printer.isJson) return printer.line(actionId);
  printer.document(await actionOrId(printer, service, actionId));
}

/** The action, or its id alone: it was requested, whether it can be read now or not. */
async function actionOrId(printer: Printer, service: Service, actionId: string): Promise<object> {
  const path = { id: actionId };
  try {
    return await service.send('get_action', (api) => api.GET('/v1/actions/{id}', { params: { path } }));
  } catch (error) {
    if (!(error instanceof CliFailure)) throw error;
    printer.say(`The action ${actionId} was requested. It cannot be shown: ${error.message}`);
    return { action_id: actionId };
  }
}
