import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { sliceOf, type Page, type PageQuery } from '../../1-platform/common/answers/paging';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { ProfilesService } from '../../4-serving/profiles/profiles.service';
import type { CostRateView, SaveCostRateBody } from './cost-rates.dto';
import { listCostRates, saveCostRate } from './cost-rates.queries';

/** Unit prices of running profiles. */
@Injectable()
export class CostRatesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly profiles: ProfilesService,
  ) {}

  list(context: OrgContext, query: PageQuery): Promise<Page<CostRateView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listCostRates(tx, slice));
  }

  save(context: OrgContext, body: SaveCostRateBody): Promise<CostRateView> {
    return this.audit.change(context, async (tx, record) => {
      await this.profiles.check(tx, body.profile_id);
      const rate = await saveCostRate(tx, body);
      const { profile_id: resourceId, ...details } = rate;
      await record({ resourceType: 'cost_rate', resourceId, details });
      return rate;
    });
  }
}
