import { Controller, Get } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Operation, text } from '../auth/operation.decorator';
import { Org, type OrgContext } from '../auth/org-context';
import { isUuid } from '../common/ids';
import { callerUnknown } from './tokens.errors';

@ApiTags('user')
@Controller('v1/user')
export class UserController {
  @Get()
  @Operation({
    id: 'get_user',
    summary: 'Get the id of the caller',
    description: 'The id of the access token, or the subject of a JWT where that is a UUID.',
    access: 'read',
    answer: text('Id of the caller', 'uuid'),
    failures: { 401: 'No valid bearer', 404: 'Caller unknown' },
  })
  get(@Org() context: OrgContext): string {
    if (!isUuid(context.actorId)) throw callerUnknown();
    return context.actorId;
  }
}
