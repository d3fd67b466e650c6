import { Controller, Get, Param } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { InferenceKeyCaller } from '../../1-platform/auth/caller';
import { modelNotFound } from '../routes/routes.errors';
import type { RoutedModel } from '../routes/choice/routing-table';
import { RoutingTables } from '../routes/choice/routing-tables.service';
import { ModelListView, ModelView } from './models.dto';

@ApiTags('models')
@Controller('v1/inference/models')
export class ModelsController {
  constructor(private readonly tables: RoutingTables) {}

  @Get()
  @Operation({
    id: 'list_models',
    summary: 'List the available logical models',
    description: "As in OpenAI's API. An inference key sees the models that it may use.",
    access: 'models',
    openAiErrors: true,
    answer: json(ModelListView),
    failures: { 401: 'No valid bearer' },
  })
  async list(@Org() { orgId, key }: OrgContext): Promise<ModelListView> {
    const { models } = await this.tables.of(orgId);
    return { object: 'list', data: [...models.values()].filter(allowedTo(key)).map(modelView) };
  }

  @Get(':model')
  @Operation({
    id: 'get_model',
    summary: 'Get a logical model',
    description: "As in OpenAI's API. The name may have slashes, encoded or not.",
    access: 'models',
    openAiErrors: true,
    bareFailures: true,
    answer: json(ModelView),
    failures: {
      400: 'The name is not valid percent-encoded UTF-8',
      401: 'No valid bearer',
      404: 'No route serves the model, or the key may not use it',
      500: 'An internal error of this service',
      503: 'Not served in time; Retry-After says when to retry',
    },
  })
  async get(@Org() { orgId, key }: OrgContext, @Param('model') name: string): Promise<ModelView> {
    const model = await this.tables.model(orgId, name);
    if (!model || !allowedTo(key)(model)) throw modelNotFound(name);
    return modelView(model);
  }
}

const allowedTo = (key: InferenceKeyCaller | undefined): ((model: RoutedModel) => boolean) => {
  const allowed = key && key.models.length > 0 ? new Set(key.models) : undefined;
  return ({ logicalModel }) => !allowed || allowed.has(logicalModel);
};

const modelView = ({ logicalModel: id, createdAt }: RoutedModel): ModelView => ({
  id,
  object: 'model',
  created: Math.floor(createdAt.getTime() / 1_000),
  owned_by: 'organisation',
});
