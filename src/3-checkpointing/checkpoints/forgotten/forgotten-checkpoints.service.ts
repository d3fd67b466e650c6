import { Inject, Injectable } from '@nestjs/common';
import type { OrgContext } from '../../../1-platform/auth/org-context';
import { joinedUuids } from '../../../1-platform/common/fields/comma-joined';
import { sliceOf, type Page } from '../../../1-platform/common/answers/paging';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import type { ListForgottenCheckpointsQuery } from './forgotten-checkpoints.dto';
import { listForgotten, type ForgottenCheckpointRow } from './forgotten-checkpoints.queries';

/** What the service no longer has while its bytes may be in a store. */
@Injectable()
export class ForgottenCheckpointsService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  list(context: OrgContext, query: ListForgottenCheckpointsQuery): Promise<Page<ForgottenCheckpointRow>> {
    const slice = sliceOf(query);
    const ids = joinedUuids('ids', query.ids);
    const { forgottenGraceDays: graceDays } = this.environment;
    return this.unitOfWork.read(context, (tx) => listForgotten(tx, { ids, graceDays }, slice));
  }
}
