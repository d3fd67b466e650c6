import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '../../1-platform/common/described';
import { json, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import { UuidParameter } from '../../1-platform/http/bodies/path-parameters';
import {
  CompleteExperimentBody,
  CreateExperimentBody,
  ExperimentListItemView,
  ExperimentView,
  ListExperimentsQuery,
} from './experiments.dto';
import { ExperimentsService } from './experiments.service';

const ExperimentId = () => ApiParam({ name: 'id', schema: { type: 'string', format: 'uuid' } });

@ApiTags('experiments')
@Controller('v1/inference/experiments')
export class ExperimentsController {
  constructor(private readonly experiments: ExperimentsService) {}

  @Get()
  @Operation({
    id: 'list_experiments',
    summary: 'List experiments with observation counts, the newest first',
    description:
      'Experiments with the number of observations that belong to each, filtered by status, profile and name.',
    access: 'read',
    answer: json([ExperimentListItemView]),
  })
  list(@Org() context: OrgContext, @Query() query: ListExperimentsQuery): Promise<Page<ExperimentListItemView>> {
    return this.experiments.list(context, query);
  }

  @Post()
  @Operation({
    id: 'create_experiment',
    summary: 'Start an experiment',
    description:
      'Until it is completed or cancelled, requests that its profile serves belong to it, from a moment later ' +
      'on; of several experiments, to the latest. The header X-Experiment-Id of a chat names another one.',
    access: 'operate',
    creates: true,
    answer: json(ExperimentView, { status: 201, description: 'Experiment started' }),
    failures: { 400: 'Bad request, or an unknown profile' },
    bodyExample: {
      name: 'evening peak',
      scenario: '50 clients, 2,000 tokens each',
      parameters: { clients: 50 },
      profile_id: 'llama-8b-a10g',
    },
  })
  create(@Org() context: OrgContext, @Body() body: CreateExperimentBody): Promise<ExperimentView> {
    return this.experiments.create(context, body);
  }

  @Get(':id')
  @ExperimentId()
  @Operation({
    id: 'get_experiment',
    summary: 'Get the wanted lifecycle state of an experiment',
    description: 'One experiment with its scenario, parameters and status.',
    access: 'read',
    answer: json(ExperimentView),
    failures: { 404: 'Experiment unknown' },
  })
  get(@Org() context: OrgContext, @Param('id', UuidParameter) id: string): Promise<ExperimentView> {
    return this.experiments.get(context, id);
  }

  @Post(':id/complete')
  @ExperimentId()
  @Operation({
    id: 'complete_experiment',
    summary: 'Complete or cancel an experiment',
    description: 'Ends a running experiment as completed or cancelled.',
    access: 'operate',
    creates: true,
    answer: json(ExperimentView),
    failures: { 400: 'Bad request', 404: 'Experiment unknown, or not running' },
    bodyExample: { status: 'completed' },
  })
  complete(
    @Org() context: OrgContext,
    @Param('id', UuidParameter) id: string,
    @Body() body: CompleteExperimentBody,
  ): Promise<ExperimentView> {
    return this.experiments.complete(context, id, body);
  }
}
