import { Int, Json, Str, Time, Uuid } from '../common/fields/fields';
import { MAX_ROWS } from '../common/answers/paging';

export class ListAuditEntriesQuery {
  @Time({ optional: true, description: 'Entries of this moment and later' })
  since?: string;

  @Str({ optional: true, description: 'Id of the caller' })
  actor?: string;

  @Str({ optional: true, description: 'Kind or id of the thing changed' })
  resource?: string;

  @Int({
    query: true,
    optional: true,
    min: 1,
    max: MAX_ROWS,
    description: `Entries at the most, clamped to ${MAX_ROWS}`,
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

  @Str({ description: 'Kind of thing changed' })
  resource_type!: string;

  @Str({ nullable: true, description: 'Which one' })
  resource_id!: string | null;

  @Str()
  request_id!: string;

  @Json({ nullable: true })
  details!: object | null;
}
