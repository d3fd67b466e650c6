import { Body, Controller, Get, Post, Query } from '@nestjs/common';
import { ApiTags } from '../common/described';
import { json, Operation } from '../endpoints/operation.decorator';
import { Org, type OrgContext } from '../auth/org-context';
import { Page, PageQuery, sliceOf } from '../common/answers/paging';
import type { Organisation } from './organisation.entity';
import { CreateOrganisationBody, OrganisationView } from './organisations.dto';
import { OrganisationsService } from './organisations.service';

@ApiTags('organisations')
@Controller('v1/organisations')
export class OrganisationsController {
  constructor(private readonly organisations: OrganisationsService) {}

  @Get()
  @Operation({
    id: 'list_organisations',
    summary: 'List organisations',
    description: 'Admins of organisation scope see their own organisation.',
    access: 'admin',
    answer: json([OrganisationView]),
  })
  async list(@Org() context: OrgContext, @Query() query: PageQuery): Promise<Page<OrganisationView>> {
    return (await this.organisations.list(context, sliceOf(query))).map(organisationView);
  }

  @Post()
  @Operation({
    id: 'create_organisation',
    summary: 'Create an organisation',
    description: 'Needs platform scope.',
    access: 'platform',
    creates: true,
    answer: json(OrganisationView, { status: 201, description: 'Created' }),
    failures: { 400: 'Bad request', 409: 'An organisation with that name exists' },
  })
  async create(@Org() context: OrgContext, @Body() body: CreateOrganisationBody): Promise<OrganisationView> {
    return organisationView(await this.organisations.create(context, body.name));
  }
}

const organisationView = ({ id, name, createdAt }: Organisation): OrganisationView => ({
  id,
  name,
  created_at: createdAt,
});
