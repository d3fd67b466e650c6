import { Str, Time, Uuid } from '../common/fields/fields';

export class CreateOrganisationBody {
  @Str({ min: 1, max: 200, example: 'research' })
  name!: string;
}

export class OrganisationView {
  @Uuid()
  id!: string;

  @Str()
  name!: string;

  @Time()
  created_at!: Date;
}
