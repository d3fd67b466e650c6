import { Str } from '../../1-platform/common/fields/fields';
import { PageQuery } from '../../1-platform/common/answers/paging';
import { Integer, MAX_ID_LENGTH, Part, Text } from './daemon-object';

export class HostCpuObject {
  @Integer()
  Count?: number;

  @Text()
  Family?: string;

  @Text()
  PhysicalID?: string;

  @Text()
  VendorID?: string;
}

export class HostMemoryObject {
  @Integer()
  Total?: number;
}

/** Body and reply; also the host of a job. */
export class HostObject {
  @Text({ max: MAX_ID_LENGTH })
  ID?: string;

  @Text()
  Hostname?: string;

  @Text()
  KernelArch?: string;

  @Text()
  KernelVersion?: string;

  @Text()
  MAC?: string;

  @Text()
  OS?: string;

  @Text()
  Platform?: string;

  @Part(() => HostCpuObject)
  CPU?: HostCpuObject;

  @Part(() => HostMemoryObject)
  Memory?: HostMemoryObject;
}

export class ListHostsQuery extends PageQuery {
  @Str({ optional: true, max: 40_000, description: 'Comma-separated host ids' })
  ids?: string;
}
