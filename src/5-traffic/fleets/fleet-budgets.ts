import { Injectable } from '@nestjs/common';
import { ActivationBudgets, type Activation } from '../../4-serving/capacity-intents/capacity-intents.ports';
import { isJsonObject, isRawNumber } from '../../1-platform/common/json/json';
import { usdOf, usdText } from '../../1-platform/common/money';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { findOverrun, lockFleetsWithMaximum } from './fleet-budgets.queries';
import { fleetBudgetExceeded } from './fleets.errors';

/**
 * What the nodes of a fleet may cost in an hour by its budgets, in decimals; null where they name no such
 * amount. What is more than an amount of money can be is no maximum.
 */
export function maximumOf(budgets: unknown): string | null {
  const told = isJsonObject(budgets) ? budgets.max_node_usd_per_hour : undefined;
  const digits = typeof told === 'number' ? String(told) : isRawNumber(told) ? told.rawJSON : '';
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
