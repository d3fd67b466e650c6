import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { json, Operation } from '../auth/operation.decorator';
import { Org, type OrgContext } from '../auth/org-context';
import { RoutingTables } from '../routes/routing-tables.service';
import { ModelListView } from './models.dto';

@ApiTags('models')
@Controller('v1/inference/models')
export class ModelsController {
  constructor(private readonly tables: RoutingTables) {}

  @Get()
  @Operation({
    id: 'list_models',
    summary: 'List logical models that can be asked for',
    description: "As in OpenAI's API. An inference key sees those that it may ask for.",
    access: 'models',
    openAiErrors: true,
    answer: json(ModelListView),
    failures: { 401: 'No valid bearer' },
  })
  async list(@Org() { orgId, key }: OrgContext): Promise<ModelListView> {
    const { models } = await this.tables.of(orgId);
    const allowed = key && key.models.length > 0 ? new Set(key.models) : undefined;
    const data = [...models.values()]
      .filter(({ logicalModel }) => !allowed || allowed.has(logicalModel))
      .map(({ logicalModel: id, createdAt }) => ({
        id,
        object: 'model' as const,
        created: Math.floor(createdAt.getTime() / 1_000),
        owned_by: 'organisation',
      }));
    return { object: 'list', data };
  }
}
