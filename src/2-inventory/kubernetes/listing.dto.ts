import { Bool, Int, Str, Strings, Uuid } from '../../1-platform/common/fields/fields';
import { MAX_ROWS } from '../../1-platform/common/answers/paging';

/** Default number of rows per page. */
export const DEFAULT_PAGE = 50;

/** Whether a list of what a cluster reported has also what lists leave out because nothing reports it. */
export const Silent = () =>
  Bool({
    query: true,
    optional: true,
    description:
      'Also those of inactive clusters and on nodes that were not synced for over 5 minutes, until they are reported as deleted. Default: false',
  });

/** Parameters that the paginated lists of pods and jobs share. */
export abstract class ResourcePageQuery {
  @Int({
    query: true,
    optional: true,
    min: 1,
    max: MAX_ROWS,
    description: `Rows per page, by default ${DEFAULT_PAGE}, clamped to ${MAX_ROWS}`,
  })
  limit?: number;

  @Int({ query: true, optional: true, min: 0 })
  offset?: number;

  @Uuid({
    optional: true,
    description: 'Row id after which the page begins, in the same order: later pages cost no more than the first',
  })
  after?: string;

  @Bool({ query: true, optional: true, description: 'Default: true' })
  ascending?: boolean;

  @Str({ optional: true })
  status?: string;

  @Str({ optional: true })
  namespace?: string;

  @Uuid({ optional: true })
  cluster_id?: string;

  @Silent()
  silent?: boolean;
}

export class AvailableFiltersView {
  @Strings({ maxItems: MAX_ROWS })
  statuses!: string[];

  @Strings({ maxItems: MAX_ROWS })
  namespaces!: string[];
}

export class NamespaceListView {
  @Strings({ maxItems: MAX_ROWS })
  namespaces!: string[];
}

export class StatusListView {
  @Strings({ maxItems: MAX_ROWS })
  statuses!: string[];
}

export class CountByStatusQuery {
  @Str({ optional: true })
  status?: string;
}
