import { Int, ListOf, NamePart, Obj, OneOf, Str, Strings, Uuid } from '../../1-platform/common/fields/fields';
import { MAX_ROWS, PageQuery } from '../../1-platform/common/answers/paging';
import { AvailableFiltersView, ResourcePageQuery } from '../kubernetes/listing.dto';
import { POD_SORTS } from './pods.queries';

export class ListPodsQuery extends PageQuery {
  @Uuid({ optional: true, description: 'Row id or Kubernetes uid' })
  id?: string;
}

export class PagePodsQuery extends ResourcePageQuery {
  @OneOf(Object.keys(POD_SORTS), { optional: true, description: 'Default: name' })
  sort?: keyof typeof POD_SORTS;

  @Uuid({ optional: true, description: 'Row id or Kubernetes uid' })
  id?: string;

  @NamePart()
  pod_name?: string;
}

export class PodView {
  @Uuid()
  id!: string;

  @Str({ description: 'As its cluster names it' })
  uid!: string;

  @Str({ nullable: true, description: 'Of the last report; null if that had none' })
  resource_version!: string | null;

  @Uuid()
  cluster_id!: string;

  @Str()
  name!: string;

  @Str()
  namespace!: string;

  @Str({ description: 'Phase' })
  status!: string;

  @Str({ nullable: true, description: "Why it does not work, in Kubernetes' words, such as CrashLoopBackOff" })
  reason!: string | null;

  @Str({ description: 'As kubectl prints it', example: '3m20s' })
  age!: string;

  @Str({ description: 'Ready and total containers', example: '1/2' })
  ready!: string;

  @Str({ description: 'Empty while it is on no node' })
  node!: string;

  @Int({ format: 'int32' })
  restarts!: number;

  @Strings({ maxItems: MAX_ROWS })
  monitored_by_policies!: string[];

  @Str({ nullable: true })
  start_time!: string | null;
}

export class PodPageView {
  @ListOf(() => PodView, { maxItems: MAX_ROWS })
  pods!: PodView[];

  @Int()
  total_count!: number;

  @Obj(() => AvailableFiltersView, { nullable: true })
  available_filters!: AvailableFiltersView | null;
}
