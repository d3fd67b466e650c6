import { MAX_JOINED_UUIDS, MAX_JOINED_UUIDS_TEXT } from '../../1-platform/common/fields/comma-joined';
import { Str } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';
import { Anything, Flag, Integer, Integers, MAX_ID_LENGTH, Part, Text } from '../hosts/daemon-object';
import { HostObject } from '../hosts/hosts.dto';

export class LegacyJobStateObject {
  @Text()
  Cmdline?: string;

  @Integers()
  GIDs?: number[];

  @Flag()
  GPUEnabled?: boolean;

  @Integers()
  Groups?: number[];

  @Part(() => HostObject, { description: 'Jobs are listed by its ID' })
  Host?: HostObject;

  @Flag()
  IsRunning?: boolean;

  @Integer()
  PID?: number;

  @Integer()
  StartTime?: number;

  @Text()
  Status?: string;

  @Integers()
  UIDs?: number[];

  @Text()
  WorkingDir?: string;
}

/** Body and reply. */
export class LegacyJobObject {
  @Text({ always: true })
  Type!: string;

  @Text({ max: MAX_ID_LENGTH })
  JID?: string;

  @Text()
  Log?: string;

  @Anything()
  Details?: unknown;

  @Part(() => LegacyJobStateObject)
  State?: LegacyJobStateObject;
}

export class LegacyJobCheckpointBody {
  @Text({ always: true, max: MAX_ID_LENGTH, description: 'The checkpointed job' })
  JID!: string;

  @Text({ always: true })
  Path!: string;

  @Integer()
  Time?: number;

  @Integer()
  Size?: number;

  @Text({ max: MAX_ID_LENGTH })
  ID?: string;
}

/** Daemons leave out a time or size of zero; answers do not. */
export class LegacyJobCheckpointObject extends LegacyJobCheckpointBody {
  @Integer({ always: true })
  override Time!: number;

  @Integer({ always: true })
  override Size!: number;
}

export class ListLegacyJobsQuery extends PageQuery {
  @Str({ optional: true, max: 40_000, description: 'Comma-separated job ids' })
  jids?: string;

  @Str({ optional: true, max: 40_000, description: 'Comma-separated host ids, as in `State.Host.ID`' })
  host_ids?: string;
}

export class ListLegacyJobCheckpointsQuery extends PageQuery {
  @Str({
    optional: true,
    max: MAX_JOINED_UUIDS_TEXT,
    description: `Comma-separated checkpoint UUIDs, at most ${MAX_JOINED_UUIDS}`,
  })
  ids?: string;

  @Str({ optional: true, max: 40_000, description: 'Comma-separated job ids' })
  jids?: string;
}
