import { Injectable } from '@nestjs/common';
import { startsOfProfiles, type ComparisonRow } from '../analytics/startup-comparison.queries';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { invalidField } from '../../1-platform/common/answers/problem';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { modelNotFound } from '../../5-traffic/routes/routes.errors';
import { project, type StartTimes } from './projection';
import type { RouteSimulationView, SimulateRouteBody } from './route-simulation.dto';
import { simulatedRoute } from './route-simulation.queries';

/** Rounding error of a sum of doubles. */
const ROUNDING = 1e-9;

/** Projects the waits of a load on a route, from the starts of its first target. */
@Injectable()
export class RouteSimulationService {
  constructor(private readonly unitOfWork: UnitOfWork) {}

  simulate(context: OrgContext, body: SimulateRouteBody): Promise<RouteSimulationView> {
    const { logical_model: logicalModel, cold_share: coldShare, restore_share: restoreShare } = body;
    if (coldShare + restoreShare > 1 + ROUNDING)
      throw invalidField('restore_share', 'must be at most 1 together with cold_share');
    return this.unitOfWork.read(context, async (tx) => {
      const route = await simulatedRoute(tx, logicalModel);
      if (!route) throw modelNotFound(logicalModel);
      const { first_target: profileId, queue_timeout_ms: queueTimeoutMs, targets } = route;
      const [measured] = profileId === null ? [] : await startsOfProfiles(tx, [profileId]);
      const times = timesOf(measured);
      const load = { coldShare, restoreShare, deadlineMs: body.deadline_ms, queueTimeoutMs, hasFallback: targets > 1 };
      const projection = project(times, load);
      return {
        logical_model: logicalModel,
        evidence: projection.evidence,
        requests_per_hour: body.requests_per_hour,
        cold_share: coldShare,
        restore_share: restoreShare,
        projected_p50_ms: projection.p50Ms,
        projected_deadline_miss_rate: projection.deadlineMissRate,
        projected_fallback_rate: projection.fallbackRate,
        projected_cold_p50_ms: times.coldMs,
        projected_restore_p50_ms: times.restoreMs,
      };
    });
  }
}

function timesOf(row: ComparisonRow | undefined): StartTimes {
  const estimate = row && row.estimated_cold_start_ms > 0 ? row.estimated_cold_start_ms : null;
  return {
    coldMs: row?.cold?.p50_ms ?? estimate,
    restoreMs: row?.restored?.p50_ms ?? null,
    coldMeasured: row?.cold != null,
    restoreMeasured: row?.restored != null,
  };
}
