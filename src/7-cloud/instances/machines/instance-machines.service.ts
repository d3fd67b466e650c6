import { Inject, Injectable } from '@nestjs/common';
import type { Logger } from 'pino';
import { invariant } from '../../../1-platform/common/invariant';
import { LOGGER } from '../../../1-platform/common/logger';
import type { Tx } from '../../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { InstanceListings } from '../providers/instance-listings.service';
import { InstanceProvider, ProviderFault } from '../providers/instance-provider';
import { claimDeletion, databaseTime, lockOne, writeKnown, type PlacedInstance } from './instance-machines.queries';
import { deletionAnswered, gone, isOf, notDeleted, seen, unknown, type KnownInstance } from './reconcile';

type Step = (record: KnownInstance, now: Date) => KnownInstance | undefined;

/** Sends requests about single machines to the provider. A later run retries those that fail. */
@Injectable()
export class InstanceMachines {
  constructor(
    private readonly provider: InstanceProvider,
    private readonly listings: InstanceListings,
    private readonly unitOfWork: UnitOfWork,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /**
   * Requests the deletion of a machine, unless that has just been requested. A later listing shows whether it
   * is gone, so a failure to record the reply does not fail the request.
   */
  async delete(instance: PlacedInstance): Promise<void> {
    if (!(await this.system((tx) => claimDeletion(tx, instance)))) return;
    const fault = await this.ask(instance, 'a deletion was not requested', async () => {
      const known = await this.provider.delete(instance.providerId);
      await this.note(instance, known ? (record) => deletionAnswered(record, null) : gone);
    });
    if (fault) await this.note(instance, (record) => deletionAnswered(record, notDeleted(fault)));
  }

  /** Looks up a machine that a listing lacked. */
  async lookFor(instance: PlacedInstance): Promise<void> {
    const at = await this.system(databaseTime);
    await this.ask(instance, 'a machine was not looked up', async () => {
      const machine = await this.provider.machine(instance.providerId);
      const reply = { account: this.account(), at };
      await this.move(instance, (record) => (machine ? seen(record, machine, reply) : unknown(record, at)));
    });
  }

  /** As `move`; a later listing, or the next request, finds what is not recorded now. */
  private async note(instance: PlacedInstance, next: Step): Promise<void> {
    await this.move(instance, next).catch((error: unknown) =>
      this.logger.warn({ err: error, instance: instance.id }, 'the reply to a deletion was not recorded'),
    );
  }

  private move({ orgId, id, providerId }: PlacedInstance, next: Step): Promise<void> {
    return this.system(async (tx) => {
      const record = await lockOne(tx, orgId, id);
      // Meanwhile the machine may have been listed with another key, which then decides.
      if (record?.providerId !== providerId || !isOf(record, this.account())) return;
      const after = next(record, await databaseTime(tx));
      if (after) await writeKnown(tx, [after]);
    });
  }

  /** @returns the fault that ended the work, if one did */
  private async ask(
    { id }: PlacedInstance,
    message: string,
    work: () => Promise<void>,
  ): Promise<ProviderFault | undefined> {
    try {
      await work();
      return undefined;
    } catch (error) {
      if (!(error instanceof ProviderFault)) throw error;
      this.logger.warn({ err: error, kind: error.kind, instance: id }, message);
      if (error.kind === 'key_refused') await this.listings.failed(error);
      return error;
    }
  }

  private account(): string {
    const { account } = this.provider;
    invariant(account !== undefined, 'who was asked is configured');
    return account;
  }

  private system<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    return this.unitOfWork.system('what the provider says of a machine', work);
  }
}
