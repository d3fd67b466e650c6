import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation, text } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Continued } from '../../1-platform/common/answers/continued';
import type { Page } from '../../1-platform/common/answers/paging';
import { TextParameter } from '../../1-platform/http/bodies/path-parameters';
import {
  BurstingStatusView,
  CreatedInstanceView,
  CreateInstanceBody,
  DeleteInstanceQuery,
  InstanceStatusView,
  InstanceTypesQuery,
  InstanceTypeView,
  InstanceView,
  ListInstancesQuery,
} from './instances.dto';
import { InstancesService } from './instances.service';

@ApiTags('instances')
@Controller('v1/instances')
export class InstancesController {
  constructor(private readonly instances: InstancesService) {}

  @Get()
  @Operation({
    id: 'list_instances',
    summary: 'List instances, newest first',
    description:
      'As the marketplace reported within the last 5 seconds, or last if it does not answer. `orphaned` are ' +
      'machines with a tag of this service and without a record; those of unknown organisations are shown to ' +
      'admins.',
    access: 'read',
    work: 'remote',
    answer: json([InstanceView]),
    failures: { 400: 'Bad request', 500: 'Internal error' },
  })
  list(@Org() context: OrgContext, @Query() query: ListInstancesQuery): Promise<Page<InstanceView>> {
    return this.instances.list(context, query);
  }

  @Post()
  @Operation({
    id: 'create_instance',
    summary: 'Request an instance',
    description:
      'The marketplace is called once. `pending` means that the result is not known yet: do not request the ' +
      'instance again, its status will change.',
    access: 'operate',
    work: 'remote',
    creates: true,
    answer: json(CreatedInstanceView),
    failures: {
      400: 'Bad request, or refused by the marketplace',
      409: 'The marketplace has no capacity left for it',
      500: 'Internal error',
      503: 'No marketplace, or it does not answer: no request was sent',
    },
    bodyExample: {
      cloud: 'hyperstack',
      region: 'canada-1',
      marketplace_cloud: true,
      marketplace_instance_type: 'A6000',
      name: 'burst-1',
      os: 'ubuntu22.04_cuda12.2_shade_os',
    },
  })
  create(@Org() context: OrgContext, @Body() body: CreateInstanceBody): Promise<Continued<CreatedInstanceView>> {
    return this.instances.create(context, body);
  }

  @Get('bursting-status')
  @Operation({
    id: 'get_bursting_status',
    summary: 'Get whether instances can be requested',
    description: 'If the marketplace does not answer, its last state counts, and the message states since when.',
    access: 'read',
    work: 'remote',
    answer: json(BurstingStatusView),
  })
  burstingStatus(): Promise<BurstingStatusView> {
    return this.instances.burstingStatus();
  }

  @Get('types')
  @Operation({
    id: 'list_instance_types',
    summary: 'List types of instances and their prices',
    description: 'At most a minute old; at most an hour if the marketplace does not answer.',
    access: 'read',
    work: 'remote',
    answer: json([InstanceTypeView]),
    failures: { 500: 'Internal error', 503: 'The marketplace does not answer, or refuses the key' },
  })
  types(@Query() query: InstanceTypesQuery): Promise<Page<InstanceTypeView>> {
    return this.instances.types(query);
  }

  @Delete(':instance_id')
  @Operation({
    id: 'delete_instance',
    summary: 'Delete an instance',
    description:
      'The service repeats it until the marketplace has no such machine. May be called again, and with the ' +
      'marketplace’s id of an orphaned one. An admin may `forget` a machine of an account that is no longer used.',
    access: 'operate',
    work: 'remote',
    answer: text('Id of the instance'),
    failures: {
      403: 'Only admins forget machines',
      404: 'Instance unknown',
      409: 'Rented with another key of the marketplace',
      500: 'Deletion failed',
      503: 'No marketplace is configured',
    },
  })
  delete(
    @Org() context: OrgContext,
    @Param('instance_id', TextParameter) id: string,
    @Query() { forget = false }: DeleteInstanceQuery,
  ): Promise<string> {
    return this.instances.delete(context, id, forget);
  }

  @Get(':instance_id/status')
  @Operation({
    id: 'get_instance_status',
    summary: 'Get the state of an instance',
    description:
      'The state that the marketplace reported within the last 5 seconds, or its last one if it does not answer.',
    access: 'read',
    work: 'remote',
    answer: json(InstanceStatusView),
    failures: { 404: 'Instance unknown', 500: 'Status not obtained' },
  })
  status(@Org() context: OrgContext, @Param('instance_id', TextParameter) id: string): Promise<InstanceStatusView> {
    return this.instances.status(context, id);
  }
}
