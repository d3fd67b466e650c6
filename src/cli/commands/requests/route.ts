import type { Run } from '../context';

export const deleteRoute: Run<object> = async ({ printer, service: connect }, _options, [model = '']) => {
  await connect().send('delete_route', (api) =>
    api.DELETE('/v1/inference/routes/{logical_model}', { params: { path: { logical_model: model } } }),
  );
  if (printer.isJson) printer.document({ logical_model: model }, false);
  else printer.line(model);
};
