import { Body, Controller, Delete, Get, Param, Put, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, nothing, Operation } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import { DaemonId } from './daemon-id';
import { HostObject, ListHostsQuery } from './hosts.dto';
import { HostsService } from './hosts.service';

@ApiTags('hosts')
@Controller('v1/hosts')
export class HostsController {
  constructor(private readonly hosts: HostsService) {}

  @Get()
  @Operation({
    id: 'list_hosts',
    summary: 'List hosts, by id',
    description: 'The stored hosts as their node daemons sent them, all or those with the given ids.',
    access: 'read',
    answer: json([HostObject]),
    failures: { 400: 'Bad request', 500: 'Internal error' },
  })
  list(@Org() context: OrgContext, @Query() query: ListHostsQuery): Promise<Page<HostObject>> {
    return this.hosts.list(context, query);
  }

  @Put(':id')
  @Operation({
    id: 'put_host',
    summary: 'Store a host',
    description: 'Missing members are zero; unknown members are stored at every level. The id is that of the path.',
    access: 'machine',
    body: 'record',
    unknownMembers: 'kept',
    bodyType: HostObject,
    answer: nothing(200),
    failures: { 400: 'Bad request', 500: 'Internal error' },
    bodyExample: { Hostname: 'gpu-1', OS: 'linux', CPU: { Count: 64 }, Memory: { Total: 540_140_630_016 } },
  })
  async put(@Org() context: OrgContext, @Param('id', DaemonId) id: string, @Body() body: unknown): Promise<void> {
    await this.hosts.put(context, id, body);
  }

  @Delete(':id')
  @Operation({
    id: 'delete_host',
    summary: 'Delete a host',
    description: 'Succeeds even if the id is unknown.',
    access: 'machine',
    answer: nothing(200),
    failures: { 400: 'Bad request', 500: 'Internal error' },
  })
  async delete(@Org() context: OrgContext, @Param('id', DaemonId) id: string): Promise<void> {
    await this.hosts.delete(context, id);
  }
}
