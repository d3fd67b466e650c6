import { Int, ListOf, OneOf, Str } from '../../1-platform/common/fields/fields';

export class ModelView {
  @Str({ description: 'The name for requests' })
  id!: string;

  @OneOf(['model'])
  object!: 'model';

  @Int({ format: null, description: 'When its route was first saved, in seconds since 1970' })
  created!: number;

  @Str()
  owned_by!: string;
}

export class ModelListView {
  @OneOf(['list'])
  object!: 'list';

  @ListOf(() => ModelView, { maxItems: 100_000 })
  data!: ModelView[];
}
