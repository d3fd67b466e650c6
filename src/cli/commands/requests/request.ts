import { randomUUID } from 'node:crypto';
import type { Service } from '../../api/service';
import type { Context } from '../context';
import { untilReady, type WaitOptions } from '../waiting';

export interface RequestOptions extends WaitOptions {
  readonly idempotencyKey?: string;
}

/** The key of one request: its repetitions after a lost answer do nothing. */
export const keyOf = ({ idempotencyKey }: RequestOptions) => ({
  'Idempotency-Key': idempotencyKey ?? randomUUID(),
});

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
  const path = { id: actionId };
  printer.document(await service.send('get_action', (api) => api.GET('/v1/actions/{id}', { params: { path } })));
}
