import { conflict, notFound } from '../../1-platform/common/answers/problem';
import type { Overrun } from './fleet-budgets.queries';

export const fleetNotFound = () => notFound('fleet_not_found', 'No such fleet.');
export const fleetInUse = () =>
  conflict('fleet_in_use', 'A profile of the fleet is a target of a route; take it out of its routes first.');

/** Amounts are US dollars per hour, in decimals. */
export const fleetBudgetExceeded = ({ fleetId, committed, wouldBe, maximum }: Overrun) =>
  conflict(
    'fleet_budget_exceeded',
    `The nodes of the fleet ${JSON.stringify(fleetId)} may cost ${maximum} US dollars an hour: ${committed} are committed, and it would be ${wouldBe}.`,
  );
