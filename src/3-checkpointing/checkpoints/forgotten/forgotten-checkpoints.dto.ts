import { MAX_JOINED_UUIDS, MAX_JOINED_UUIDS_TEXT } from '../../../1-platform/common/fields/comma-joined';
import { Bool, Str, Time, Uuid } from '../../../1-platform/common/fields/fields';
import { PageQuery } from '../../../1-platform/common/answers/paging';

export class ListForgottenCheckpointsQuery extends PageQuery {
  @Str({
    optional: true,
    max: MAX_JOINED_UUIDS_TEXT,
    description: `Comma-separated checkpoint ids, at most ${MAX_JOINED_UUIDS}`,
  })
  ids?: string;
}

export class ForgottenCheckpointView {
  @Uuid()
  id!: string;

  @Uuid({ nullable: true, description: 'Its cluster, which may be deleted' })
  cluster_id!: string | null;

  @Str({ nullable: true, description: 'Where its bytes were, as reported with the upload' })
  restore_path!: string | null;

  @Time()
  forgotten_at!: Date;

  @Time({ description: 'When whoever has its bytes may remove them' })
  removable_at!: Date;

  @Bool({ description: 'Whether that time has come' })
  removable!: boolean;
}
