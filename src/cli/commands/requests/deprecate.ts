import { oneOf, UUID } from '../../api/rows';
import type { Service } from '../../api/service';
import { kindNamed } from '../../kinds/kinds';
import type { Run } from '../context';

/** One after the other: what was deprecated before a failure is printed. */
export const deprecate: Run<object> = async ({ printer, service: connect }, _options, texts) => {
  const service = connect();
  for (const text of texts) {
    const id = await idOf(service, text);
    await service.send('deprecate_checkpoint', (api) =>
      api.PATCH('/v1/checkpoints/deprecate/{id}', { params: { path: { id } }, parseAs: 'text' }),
    );
    if (printer.isJson) printer.document({ checkpoint_id: id }, false);
    else printer.line(id);
  }
};

/** Whole ids need no look: there may be thousands. */
async function idOf(service: Service, text: string): Promise<string> {
  const checkpoints = kindNamed('checkpoint');
  return UUID.test(text) ? text : checkpoints.id(await oneOf(service, checkpoints, text));
}
