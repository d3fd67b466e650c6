import { Controller, Get, Query } from '@nestjs/common';
import { ApiTags } from '../common/described';
import { json, Operation } from '../endpoints/operation.decorator';
import { Org, type OrgContext } from '../auth/org-context';
import { Page } from '../common/answers/paging';
import type { AuditEntry } from './audit-entry.entity';
import { AuditEntryView, ListAuditEntriesQuery } from './audit.dto';
import { AuditService } from './audit.service';

@ApiTags('audit')
@Controller('v1/audit')
export class AuditController {
  constructor(private readonly audit: AuditService) {}

  @Get()
  @Operation({
    id: 'list_audit_entries',
    summary: 'List changes, newest first',
    description:
      'One entry for each change made through the API, written in the transaction of the change: who changed what, when, and in which request.',
    access: 'operate',
    answer: json([AuditEntryView]),
    failures: { 400: 'Bad request' },
  })
  async list(@Org() context: OrgContext, @Query() query: ListAuditEntriesQuery): Promise<Page<AuditEntryView>> {
    return (await this.audit.list(context, query)).map(auditEntryView);
  }
}

const auditEntryView = (entry: AuditEntry): AuditEntryView => ({
  id: entry.id,
  occurred_at: entry.occurredAt,
  actor_id: entry.actorId,
  actor_role: entry.actorRole,
  action: entry.action,
  resource_type: entry.resourceType,
  resource_id: entry.resourceId,
  request_id: entry.requestId,
  details: entry.details,
});
