import {
  Counts,
  Int,
  Integers,
  ListOf,
  NamePart,
  Obj,
  OneOf,
  Str,
  Strings,
  Uuid,
} from '../../1-platform/common/fields/fields';
import { MAX_ROWS, PageQuery } from '../../1-platform/common/answers/paging';
import { AvailableFiltersView, ResourcePageQuery } from '../kubernetes/listing.dto';
import { JOB_SORTS } from './jobs.queries';

export class PageJobsQuery extends ResourcePageQuery {
  @OneOf(Object.keys(JOB_SORTS), {
    optional: true,
    description: 'Default: name. By duration, jobs that run count as longer than all that have ended',
  })
  sort?: keyof typeof JOB_SORTS;

  @NamePart()
  job_name?: string;
}

export class FilterJobsQuery extends PageQuery {
  @Int({ query: true, optional: true, format: 'int32' })
  priority?: number;

  @Str({ optional: true })
  namespace?: string;

  @Str({ optional: true })
  status?: string;
}

export class JobView {
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

  @Str({ description: "As kubectl's STATUS column: Running, Complete, Failed, Suspended or Terminating" })
  status!: string;

  @Str({ description: 'As kubectl prints it', example: '3m20s' })
  age!: string;

  @Strings({ maxItems: MAX_ROWS })
  monitored_by_policies!: string[];

  @Strings({ maxItems: MAX_ROWS, description: 'Row ids of its first 1,000 pods' })
  pod_ids!: string[];

  @Str({ nullable: true, description: 'Succeeded and wanted pods', example: '1/2' })
  completions!: string | null;

  @Str({ nullable: true, description: 'From its start to its end, or until now' })
  duration!: string | null;

  @Str({ nullable: true })
  startTime!: string | null;

  @Int({ format: 'int32', nullable: true })
  pod_count!: number | null;

  @Int({ format: 'int32', nullable: true })
  policy_count!: number | null;

  @Int({ format: 'int32', nullable: true, description: 'Of its template, else of its pods; null if neither has one' })
  priority!: number | null;
}

export class JobPageView {
  @ListOf(() => JobView, { maxItems: MAX_ROWS })
  jobs!: JobView[];

  @Int()
  total_count!: number;

  @Obj(() => AvailableFiltersView, { nullable: true })
  available_filters!: AvailableFiltersView | null;
}

export class JobPrioritiesView {
  @Integers()
  priorities!: number[];

  @Counts({ description: 'Jobs by priority' })
  priority_counts!: Record<string, number>;
}

export class JobFilterRowView {
  @Uuid()
  id!: string;

  @Str()
  name!: string;

  @Str()
  namespace!: string;

  @Str()
  status!: string;

  @Int()
  pod_count!: number;

  @Int({ format: 'int32', nullable: true })
  priority!: number | null;

  @Str({ nullable: true })
  start_time!: string | null;
}

export class JobFilterResultView {
  @ListOf(() => JobFilterRowView, { maxItems: MAX_ROWS })
  jobs!: JobFilterRowView[];

  @Int()
  total_count!: number;

  @Integers()
  available_priorities!: number[];
}

export class JobPodView {
  @Uuid()
  id!: string;

  @Str()
  name!: string;

  @Str()
  namespace!: string;

  @Str()
  status!: string;

  @Str({ nullable: true, example: 'Job/train' })
  owner_reference!: string | null;
}

export class JobPodsView {
  @Uuid()
  job_id!: string;

  @Str()
  job_name!: string;

  @Int()
  total_count!: number;

  @ListOf(() => JobPodView, { maxItems: MAX_ROWS })
  pods!: JobPodView[];
}
