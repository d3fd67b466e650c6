import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { Continued } from '../../1-platform/common/answers/continued';
import { newId } from '../../1-platform/common/ids';
import { LOGGER } from '../../1-platform/common/logger';
import { Page, sliceOf } from '../../1-platform/common/answers/paging';
import { invalidField } from '../../1-platform/common/answers/problem';
import type { Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { askOf, keptOf, secretsOf } from './instance-ask';
import { InstanceListings } from './providers/instance-listings.service';
import { InstanceMachines } from './machines/instance-machines.service';
import { InstanceOffers } from './providers/instance-offers.service';
import { InstanceProvider, ProviderFault } from './providers/instance-provider';
import { CREATING, looksLikeOurs, mayRun, PENDING, TAG_PREFIX } from './instance.states';
import type {
  BurstingStatusView,
  CreatedInstanceView,
  CreateInstanceBody,
  InstanceStatusView,
  InstanceTypesQuery,
  InstanceTypeView,
  InstanceView,
  ListInstancesQuery,
} from './instances.dto';
import {
  burstingNotConfigured,
  instanceNotAsked,
  instanceNotFound,
  instanceNotSent,
  machineOfAnotherKey,
  onlyAdminsForget,
  providerProblem,
} from './instances.errors';
import {
  adoptOrphan,
  endForgotten,
  findInstance,
  insertInstance,
  listInstances,
  markAsked,
  markFailed,
  markPlaced,
  wantDeleted,
  type InstanceRow,
} from './instances.queries';
import { burstingView, createdView, listedView, orphanStatusView, statusView, typeView } from './instances.views';
import type { AccountState } from './providers/provider-accounts.queries';
import { isOf, REASONS, type Orphan } from './machines/reconcile';
import { containsSecret } from './providers/secret-redaction';

/**
 * Machines of the marketplace. A request is recorded before it is sent, once; the record's id is the
 * machine's tag. So a listing shows whose machine it is, whatever happens in between.
 */
@Injectable()
export class InstancesService {
  constructor(
    private readonly provider: InstanceProvider,
    private readonly listings: InstanceListings,
    private readonly machines: InstanceMachines,
    private readonly offers: InstanceOffers,
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  async list(context: OrgContext, query: ListInstancesQuery): Promise<Page<InstanceView>> {
    const account = await this.listings.recent();
    const orphans = orphansFor(context, account);
    const rows = await this.unitOfWork.read(context, (tx) => listInstances(tx, orphans, query.name, sliceOf(query)));
    return rows.map(listedView);
  }

  async status(context: OrgContext, id: string): Promise<InstanceStatusView> {
    const account = await this.listings.recent();
    const row = await this.unitOfWork.read(context, (tx) => findInstance(tx, id));
    if (row) return statusView(row, account);
    const orphan = orphanOf(context, account, id);
    if (!orphan) throw instanceNotFound();
    return orphanStatusView(orphan, account);
  }

  async types(query: InstanceTypesQuery): Promise<Page<InstanceTypeView>> {
    const { num_gpus: gpus, gpu_type: gpuType, sort } = query;
    const slice = sliceOf(query);
    const offers = await this.offers.list({ gpus, gpuType, sort });
    return Page.of(offers.slice(slice.offset, slice.offset + slice.limit + 1), slice).map(typeView);
  }

  async burstingStatus(): Promise<BurstingStatusView> {
    return burstingView(await this.listings.recent());
  }

  /** Records the request. The marketplace is called after the commit. */
  create(context: OrgContext, body: CreateInstanceBody): Promise<Continued<CreatedInstanceView>> {
    const { account } = this.provider;
    if (account === undefined) throw burstingNotConfigured();
    const taken = body.tags?.findIndex(looksLikeOurs) ?? -1;
    if (taken >= 0) throw invalidField(`tags[${taken}]`, `must not begin with ${TAG_PREFIX}`);
    const id = newId();
    const { name, cloud, region, marketplace_instance_type: instanceType } = body;
    return this.audit.change(context, async (tx, record) => {
      await insertInstance(tx, { id, name, cloud, region, instanceType, asked: keptOf(body) });
      const details = { name, cloud, region, instance_type: instanceType };
      await record({ resourceType: 'instance', resourceId: id, details });
      return new Continued(createdView(id, body, PENDING), () => this.place(context, id, account, body));
    });
  }

  /**
   * Requests the deletion of a machine; one that is being created is deleted as soon as it is found. @returns
   * its id
   * @param forget whether the record of a machine ends that the configured key cannot delete
   */
  async delete(context: OrgContext, id: string, forget: boolean): Promise<string> {
    const own = await this.unitOfWork.read(context, (tx) => findInstance(tx, id));
    // A new key of the account that has the machine lists it, and from then on deletes it.
    const state = own && this.reaches(own) ? undefined : await this.listings.recent();
    const wanted = await this.audit.change(context, async (tx, record) => {
      const found = await this.ownOrAdopted(tx, context, state, id);
      const hasKey = this.provider.account !== undefined;
      const isForgotten = forget && mayRun(found) && !(hasKey && this.reaches(found));
      if (isForgotten && context.role !== 'admin') throw onlyAdminsForget();
      if (mayRun(found) && !hasKey && !isForgotten) throw burstingNotConfigured();
      if (!this.reaches(found) && !isForgotten) throw machineOfAnotherKey();
      const [after] = await (isForgotten ? endForgotten(tx, found.id, REASONS.forgotten) : wantDeleted(tx, found.id));
      await record({
        resourceType: 'instance',
        resourceId: found.id,
        details: {
          name: found.name,
          marketplace_id: found.providerId,
          was: found.phase,
          ...(isForgotten && { forgotten: true }),
        },
      });
      return after ?? found;
    });
    const { orgId, providerId, phase } = wanted;
    if (phase === 'placed' && providerId !== null) await this.machines.delete({ orgId, id: wanted.id, providerId });
    return wanted.id;
  }

  /** False if there may be a machine, and only another key could delete it. */
  private reaches(record: InstanceRow): boolean {
    const { account } = this.provider;
    return !mayRun(record) || account === undefined || isOf(record, account);
  }

  private async ownOrAdopted(
    tx: Tx,
    context: OrgContext,
    account: AccountState | undefined,
    id: string,
  ): Promise<InstanceRow> {
    const own = await findInstance(tx, id, { lock: true });
    if (own) return own;
    const orphan = orphanOf(context, account, id);
    if (!orphan || !account) throw instanceNotFound();
    // The caller owns it from then on: its deletion is repeated like any other.
    await adoptOrphan(tx, newId(), orphan, account);
    const adopted = await findInstance(tx, id, { lock: true });
    if (!adopted) throw instanceNotFound();
    return adopted;
  }

  /**
   * Sends the request to the marketplace once, and records the result. If that is unknown, the record stays,
   * and a listing decides later. Fails only if there is no machine, and will be none.
   */
  private async place(
    context: OrgContext,
    id: string,
    account: string,
    body: CreateInstanceBody,
  ): Promise<CreatedInstanceView> {
    const began = performance.now();
    if (!(await this.unitOfWork.run(context, (tx) => markAsked(tx, id, account)))) throw instanceNotAsked();
    // After a long pause nothing is sent: the record might have been given up by then. By the clock, because
    // timers are late too.
    if (performance.now() - began > this.provider.timeLimitMs) {
      await this.note(context, id, (tx) => markFailed(tx, id, REASONS.neverAsked));
      throw instanceNotSent();
    }
    let providerId: string;
    try {
      providerId = await this.provider.create(askOf(id, body));
    } catch (error) {
      return this.notPlaced(context, id, body, error);
    }
    await this.note(context, id, (tx) => markPlaced(tx, id, providerId));
    return createdView(id, body, CREATING);
  }

  private async notPlaced(
    context: OrgContext,
    id: string,
    body: CreateInstanceBody,
    error: unknown,
  ): Promise<CreatedInstanceView> {
    if (!(error instanceof ProviderFault) || error.mayHaveHappened) {
      this.logger.warn({ err: error, instance: id }, 'it is not known whether a machine was made');
      return createdView(id, body, PENDING);
    }
    if (error.kind === 'key_refused') await this.listings.failed(error);
    const words = error.words();
    const problem = providerProblem(
      error,
      words === undefined || containsSecret(words, secretsOf(body)) ? undefined : words,
    );
    await this.note(context, id, (tx) => markFailed(tx, id, problem.message));
    throw problem;
  }

  /** A later listing finds what is not recorded now. */
  private async note(context: OrgContext, id: string, work: (tx: Tx) => Promise<void>): Promise<void> {
    await this.unitOfWork
      .run(context, work)
      .catch((error: unknown) =>
        this.logger.warn({ err: error, instance: id }, 'the result of an instance request was not recorded'),
      );
  }
}

/**
 * Those of the caller's organisation. Machines of unknown origin may belong to any organisation: only
 * platform admins see them.
 */
const orphansFor = ({ orgId, scope }: OrgContext, account: AccountState | undefined): Orphan[] =>
  account?.orphans.filter((orphan) => orphan.orgId === orgId || (orphan.orgId === null && scope === 'platform')) ?? [];

const orphanOf = (context: OrgContext, account: AccountState | undefined, id: string): Orphan | undefined =>
  orphansFor(context, account).find(({ providerId }) => providerId === id);
