import { Body, Controller, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation, text } from '../../1-platform/endpoints/operation.decorator';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import type { Prepared } from '../../1-platform/common/answers/prepared';
import { UuidParameter } from '../../1-platform/http/bodies/path-parameters';
import {
  CreateWindowBody,
  ListWindowsQuery,
  SyncWindowsBody,
  UpdateWindowBody,
  WindowView,
} from './maintenance-windows.dto';
import { MaintenanceWindowsService } from './maintenance-windows.service';

const FAILURES = { 500: 'Internal error' };
const OF_ONE = { 404: 'Window unknown', ...FAILURES };

@ApiTags('maintenance-windows')
@Controller('v1/slurm/maintenance_window')
export class MaintenanceWindowsController {
  constructor(private readonly windows: MaintenanceWindowsService) {}

  @Get()
  @Operation({
    id: 'list_maintenance_windows',
    summary: 'List maintenance windows',
    description: 'Sorted by start. Past ones are listed too.',
    access: 'read',
    answer: json([WindowView]),
    failures: { 400: 'Bad request', ...FAILURES },
  })
  list(@Org() context: OrgContext, @Query() query: ListWindowsQuery): Promise<Page<WindowView>> {
    return this.windows.list(context, query);
  }

  @Post()
  @Operation({
    id: 'create_maintenance_window',
    summary: 'Create a maintenance window',
    description: 'A window created by hand, beside those that come from reservations of Slurm.',
    access: 'operate',
    creates: true,
    answer: text('Window id', undefined, undefined, 201),
    failures: { 400: 'Bad request', ...FAILURES },
    bodyExample: {
      start_time: '2027-01-10T20:00:00Z',
      end_time: '2027-01-10T23:00:00Z',
      reason: 'Firmware',
      nodes: ['n1'],
    },
  })
  create(@Org() context: OrgContext, @Body() body: CreateWindowBody): Promise<string> {
    return this.windows.create(context, body);
  }

  @Post('sync')
  @Operation({
    id: 'sync_maintenance_windows',
    summary: 'Store the whole set of reservations',
    description:
      'Missing synced windows end. Accepts the unchanged output of `scontrol show reservations --json` and slurmrestd, with ' +
      '`cluster_id` in the query, or flat records. Every reservation is stored, whatever its flags; node lists are expanded. The reply names records ' +
      'that cannot be stored; their windows stay unchanged. A name with other times, after its window was ' +
      'cancelled or is over, is a new window. The output of a failed call (`errors`) is a 400 and changes nothing.',
    access: 'machine',
    creates: true,
    prepares: true,
    unknownMembers: 'ignored',
    body: 'batch',
    bodyFromQuery: ['cluster_id'],
    answer: text('Synchronised: `synced N maintenance windows`'),
    failures: { 400: 'Bad request, or the output of a failed call', 404: 'Cluster unknown', ...FAILURES },
    bodyExample: {
      cluster_id: '0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10',
      maintenance_windows: [{ name: 'fw', start_time: 1795210000, end_time: 1795220000, node_list: 'n[1-3]' }],
    },
  })
  sync(@Org() context: OrgContext, @Body() body: SyncWindowsBody): Promise<Prepared<string>> {
    return this.windows.sync(context, body);
  }

  @Get(':id')
  @Operation({
    id: 'get_maintenance_window',
    summary: 'Get a maintenance window',
    description: 'One window, created by hand or taken from a reservation.',
    access: 'read',
    answer: json(WindowView),
    failures: { 400: 'Not an id', ...OF_ONE },
  })
  get(@Org() context: OrgContext, @Param('id', UuidParameter) id: string): Promise<WindowView> {
    return this.windows.get(context, id);
  }

  @Put(':id')
  @Operation({
    id: 'update_maintenance_window',
    summary: 'Change a maintenance window',
    description:
      'A member that is missing or null stays unchanged; an empty list clears one. The next sync restores a synced window to what Slurm ' +
      'reports, but it stays cancelled while the same window is reported.',
    access: 'operate',
    answer: text('Window id'),
    failures: { 400: 'Bad request', ...OF_ONE },
    bodyExample: { reason: 'Firmware and cables', status: 'cancelled' },
  })
  update(
    @Org() context: OrgContext,
    @Param('id', UuidParameter) id: string,
    @Body() body: UpdateWindowBody,
  ): Promise<string> {
    return this.windows.update(context, id, body);
  }

  @Delete(':id')
  @Operation({
    id: 'delete_maintenance_window',
    summary: 'Delete a maintenance window',
    description: 'A synced window comes back if its cluster still reports it.',
    access: 'operate',
    answer: text('Window id'),
    failures: { 400: 'Not an id', ...OF_ONE },
  })
  delete(@Org() context: OrgContext, @Param('id', UuidParameter) id: string): Promise<string> {
    return this.windows.delete(context, id);
  }
}
