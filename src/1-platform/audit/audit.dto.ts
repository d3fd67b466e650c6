import { Int, Json, Str, Time, Uuid } from '../common/fields/fields';
import { MAX_ROWS } from '../common/answers/paging';

export class ListAuditEntriesQuery {
  @Time({ optional: true, description: 'Entries at or after this time' })
  since?: string;

  @Str({ optional: true, description: 'Id of the caller' })
  actor?: string;

  @Str({ optional: true, description: 'Kind or id of the changed resource' })
  resource?: string;

  @Int({
    query: true,
    optional: true,
    min: 1,
    max: MAX_ROWS,
    description: `Maximum number of entries, clamped to ${MAX_ROWS}`,
  })
  limit?: number;

  @Int({ query: true, optional: true, min: 0, description: 'Entries to skip' })
  offset?: number;
}

export class AuditEntryView {
  @Uuid()
  id!: string;

  @Time()
  occurred_at!: Date;

  @Str({ description: 'Who' })
  actor_id!: string;

  @Str()
  actor_role!: string;

  @Str({ description: 'Id of the operation' })
  action!: string;

  @Str({ description: 'Kind of the changed resource' })
  resource_type!: string;

  @Str({ nullable: true, description: 'Which one' })
  resource_id!: string | null;

  @Str()
  request_id!: string;

  @Json({ nullable: true })
  details!: object | null;
}
