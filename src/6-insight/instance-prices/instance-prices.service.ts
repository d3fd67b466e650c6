import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { newId } from '../../1-platform/common/ids';
import { sliceOf, type Page, type PageQuery } from '../../1-platform/common/answers/paging';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { NodesService } from '../../2-inventory/nodes/nodes.service';
import type { InstanceTypePriceView, SaveInstanceTypePriceBody } from './instance-prices.dto';
import { priceNotFound } from './instance-prices.errors';
import { deletePrices, listPrices, savePrice } from './instance-prices.queries';

/** Prices of nodes, by their instance type. */
@Injectable()
export class InstancePricesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly nodes: NodesService,
  ) {}

  list(context: OrgContext, query: PageQuery): Promise<Page<InstanceTypePriceView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listPrices(tx, slice));
  }

  /** Instance types that nodes reported, which can have savings. */
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

  /** For every capacity type. */
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
