import { Injectable } from '@nestjs/common';
import { ActivationBudgets, type Activation } from '../../4-serving/capacity-intents/capacity-intents.ports';
import { isJsonObject, isRawNumber } from '../../1-platform/common/json/json';
import { usdOf, usdText } from '../../1-platform/common/money';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { findOverrun, lockFleetsWithMaximum } from './fleet-budgets.queries';
import { fleetBudgetExceeded } from './fleets.errors';

/**
 * The hourly budget for the nodes of a fleet, in decimals; null if its budgets have no valid amount. A value
 * above the highest amount of money is no limit.
 */
export function maximumOf(budgets: unknown): string | null {
  const maximum = isJsonObject(budgets) ? budgets.max_node_usd_per_hour : undefined;
  const digits = typeof maximum === 'number' ? String(maximum) : isRawNumber(maximum) ? maximum.rawJSON : '';
  const usd = usdOf(digits);
  return usd === undefined ? null : usdText(usd);
}

/**
 * Refuses an activation that would take a fleet beyond its maximum. Requests for profiles of one fleet
 * take turns on its row, so each sees what those before it were granted.
 */
@Injectable()
export class FleetBudgets extends ActivationBudgets {
  async check(tx: Tx, activation: Activation): Promise<void> {
    const fleetIds = await lockFleetsWithMaximum(tx, activation.profileId);
    if (fleetIds.length === 0) return;
    const overrun = await findOverrun(tx, fleetIds, activation);
    if (overrun) throw fleetBudgetExceeded(overrun);
  }
}
