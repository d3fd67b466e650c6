import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { sliceOf, type Page, type PageQuery } from '../../1-platform/common/answers/paging';
import { invalid, invalidField, type FieldFault } from '../../1-platform/common/answers/problem';
import { StatementPool } from '../../1-platform/database/connections/statement-pool';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { responseSchemaFault } from './response-schema';
import {
  DEFAULT_QUEUE_TIMEOUT_MS,
  type ListRoutesQuery,
  type RouteStatusView,
  type RouteTargetBody,
  type RouteView,
  type SaveRouteBody,
} from './routes.dto';
import { routeNotFound } from './routes.errors';
import { appendPublished, appendWithdrawn } from './routes.events';
import {
  continueWithdrawn,
  findRoute,
  holdProfiles,
  listRoutes,
  listStatuses,
  sameTargets,
  saveRoute,
  takeRouteTurn,
  withdrawRoute,
} from './routes.queries';
import { RoutingTables } from './choice/routing-tables.service';
import { WorkerSeats } from './choice/workers/worker-seats';

/** The profiles that serve a logical model, and their present state. */
@Injectable()
export class RoutesService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly statements: StatementPool,
    private readonly audit: AuditTrail,
    private readonly tables: RoutingTables,
    private readonly seats: WorkerSeats,
  ) {}

  list(context: OrgContext, query: ListRoutesQuery): Promise<Page<RouteView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listRoutes(tx, slice, query.name));
  }

  /** Members that are left out stay; the generation increases if anything changes. */
  save(context: OrgContext, body: SaveRouteBody): Promise<RouteView> {
    const { logical_model: model, classifier_response_schema: schema } = body;
    if (body.targets) refuseTwice(body.targets);
    const schemaFault = schema == null ? undefined : responseSchemaFault(schema);
    if (schemaFault) throw invalidField('classifier_response_schema', schemaFault);

    return this.audit.change(context, async (tx, record) => {
      const unknown = await unknownProfiles(tx, body);
      await takeRouteTurn(tx, model);
      const before = await findRoute(tx, model);
      const wanted = merged(before, body);
      if (wanted.mode === 'classifier' && wanted.classifier_profile_id === null)
        throw invalidField('classifier_profile_id', 'is required for mode classifier');
      if (unknown.length > 0) throw invalid(unknown);
      const changed = !before || !sameRoute(before, wanted);
      const last = before ? before.generation : await continueWithdrawn(tx);
      const route = changed ? { ...wanted, generation: last + 1 } : before;
      const { generation, mode } = route;
      if (changed) {
        await saveRoute(tx, route);
        tx.onCommit(() => this.tables.changedHere(context.orgId));
        await appendPublished(tx, model, generation);
      }
      const targets = route.targets.map(({ profile_id: id }) => id);
      await record({ resourceType: 'route', resourceId: model, details: { changed, generation, mode, targets } });
      return route;
    });
  }

  /** Requests that wait for the model end as those for an unknown one. Its profiles stay. */
  async delete(context: OrgContext, model: string): Promise<void> {
    await this.audit.change(context, async (tx, record) => {
      await takeRouteTurn(tx, model);
      const generation = await withdrawRoute(tx, model);
      if (generation === undefined) throw routeNotFound();
      tx.onCommit(() => this.tables.changedHere(context.orgId));
      await appendWithdrawn(tx, model, generation);
      await record({ resourceType: 'route', resourceId: model, details: { generation } });
    });
  }

  /** Hot: one statement, straight from what was reported and asked for last. */
  statuses({ orgId }: OrgContext, query: PageQuery): Promise<Page<RouteStatusView>> {
    const lost = this.seats.lost(orgId, this.tables.held(orgId)?.profiles.values() ?? []);
    return listStatuses(this.statements, orgId, lost, sliceOf(query));
  }
}

function merged(before: RouteView | undefined, body: SaveRouteBody): RouteView {
  const or = <T>(sent: T | undefined, stored: T | undefined, fallback: T): T =>
    sent !== undefined ? sent : stored !== undefined ? stored : fallback;
  return {
    logical_model: body.logical_model,
    mode: or(body.mode, before?.mode, 'priority'),
    queue_timeout_ms: or(body.queue_timeout_ms, before?.queue_timeout_ms, DEFAULT_QUEUE_TIMEOUT_MS),
    generation: before?.generation ?? 0,
    classifier_profile_id: or(body.classifier_profile_id, before?.classifier_profile_id, null),
    classifier_prompt: or(body.classifier_prompt, before?.classifier_prompt, null),
    classifier_response_schema: or(body.classifier_response_schema, before?.classifier_response_schema, null),
    targets: sorted(or<readonly RouteTargetBody[]>(body.targets, before?.targets, [])),
  };
}

/** In the order in which they are stored and tried; of equal priority, in the order of the request. */
const sorted = (targets: readonly RouteTargetBody[]): RouteTargetBody[] =>
  [...targets]
    .sort((one, other) => one.priority - other.priority)
    .map(({ priority, profile_id, tier, enabled }) => ({
      priority,
      profile_id,
      tier,
      ...(enabled === false ? { enabled } : {}),
    }));

const sameRoute = (one: RouteView, other: RouteView): boolean =>
  one.mode === other.mode &&
  one.queue_timeout_ms === other.queue_timeout_ms &&
  one.classifier_profile_id === other.classifier_profile_id &&
  one.classifier_prompt === other.classifier_prompt &&
  one.classifier_response_schema === other.classifier_response_schema &&
  sameTargets(one.targets, other.targets);

function refuseTwice(targets: readonly RouteTargetBody[]): void {
  const seen = new Set<string>();
  const faults: FieldFault[] = [];
  targets.forEach(({ profile_id: id }, place) => {
    if (seen.has(id)) faults.push({ field: `targets[${place}].profile_id`, message: 'stands twice' });
    seen.add(id);
  });
  if (faults.length > 0) throw invalid(faults);
}

/** An unknown profile is an error in the body: the request is about the route. */
async function unknownProfiles(
  tx: Tx,
  { targets = [], classifier_profile_id: classifier }: SaveRouteBody,
): Promise<FieldFault[]> {
  const named = [...targets.map(({ profile_id: id }) => id), ...(classifier == null ? [] : [classifier])];
  return (await holdProfiles(tx, named)).map((place) => ({
    field: place < targets.length ? `targets[${place}].profile_id` : 'classifier_profile_id',
    message: 'is no profile',
  }));
}
