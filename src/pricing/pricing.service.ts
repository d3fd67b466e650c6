import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../audit/audit-trail';
import type { OrgContext } from '../auth/org-context';
import { newId } from '../common/ids';
import { sliceOf, type Page, type PageQuery } from '../common/paging';
import { UnitOfWork } from '../database/unit-of-work';
import { NodesService } from '../nodes/nodes.service';
import type { InstanceTypePriceView, SaveInstanceTypePriceBody } from './pricing.dto';
import { priceNotFound } from './pricing.errors';
import { deletePrices, listPrices, savePrice } from './pricing.queries';

/** What nodes cost, by their instance type. */
@Injectable()
export class PricingService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly nodes: NodesService,
  ) {}

  list(context: OrgContext, query: PageQuery): Promise<Page<InstanceTypePriceView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listPrices(tx, slice));
  }

  /** Instance types that nodes told, and so can have savings. */
  seen(context: OrgContext, query: PageQuery): Promise<Page<string>> {
    return this.nodes.instanceTypes(context, sliceOf(query));
  }

  save(context: OrgContext, body: SaveInstanceTypePriceBody): Promise<InstanceTypePriceView> {
    return this.audit.change(context, async (tx, record) => {
      const price = await savePrice(tx, newId(), body);
      const { capacity_type, ondemand_price_per_hour, spot_price_per_hour } = price;
      await record({
        resourceType: 'instance_type_price',
        resourceId: price.instance_type,
        details: { capacity_type, ondemand_price_per_hour, spot_price_per_hour },
      });
      return price;
    });
  }

  /** Of every capacity type. */
  delete(context: OrgContext, instanceType: string): Promise<void> {
    return this.audit.change(context, async (tx, record) => {
      const capacityTypes = await deletePrices(tx, instanceType);
      if (capacityTypes.length === 0) throw priceNotFound();
      await record({
        resourceType: 'instance_type_price',
        resourceId: instanceType,
        details: { capacity_types: capacityTypes },
      });
    });
  }
}
