import { MAX_ROWS } from '../../1-platform/common/answers/paging';
import { Int, Str } from '../../1-platform/common/fields/fields';
import { ENTRY_NAME } from '../../1-platform/object-storage/object-storage';

export class ListDirectoryQuery {
  @Int({
    query: true,
    optional: true,
    min: 1,
    max: MAX_ROWS,
    description: `Maximum number of names, clamped to ${MAX_ROWS}`,
  })
  limit?: number;

  @Str({
    optional: true,
    pattern: ENTRY_NAME,
    patternText: 'must be a name, as the list shows it',
    description: 'Names after this one',
  })
  after?: string;
}
