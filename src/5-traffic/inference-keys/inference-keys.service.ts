import { Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import { KeyVerifier } from '../../1-platform/auth/bearers/key-verifier';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { newKey, tokenDigest } from '../../1-platform/auth/bearers/token-secrets';
import { isUuid, newId } from '../../1-platform/common/ids';
import { differenceOf } from '../../1-platform/common/answers/expected';
import { sliceOf, type Page, type PageQuery } from '../../1-platform/common/answers/paging';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { InferenceKey } from './inference-key.entity';
import type {
  ChangeableKeyMembers,
  CreateInferenceKeyBody,
  InferenceKeyCreatedView,
  InferenceKeyView,
  UpdateInferenceKeyBody,
} from './inference-keys.dto';
import { keyChanged, keyNotFound, revokedKey } from './inference-keys.errors';
import { insertKey, listKeys, lockKey, revokeKey, updateKey } from './inference-keys.queries';

/** Bearers for model traffic. */
@Injectable()
export class InferenceKeysService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly verifier: KeyVerifier,
  ) {}

  create(context: OrgContext, body: CreateInferenceKeyBody): Promise<InferenceKeyCreatedView> {
    const rawKey = newKey();
    return this.audit.change(context, async (tx, record) => {
      const key = await insertKey(tx, newId(), tokenDigest(rawKey), body);
      const { name, models, budget_usd, rate_limit_rps, tenant_id } = key;
      const details = { name, models, budget_usd, rate_limit_rps, tenant_id };
      await record({ resourceType: 'inference_key', resourceId: key.key_id, details });
      return { ...key, raw_key: rawKey };
    });
  }

  list(context: OrgContext, query: PageQuery): Promise<Page<InferenceKeyView>> {
    const slice = sliceOf(query);
    return this.unitOfWork.read(context, (tx) => listKeys(tx, slice));
  }

  /** From the commit on it decides about new requests; admitted requests are served and settled. */
  async update(
    context: OrgContext,
    id: string,
    { expected, ...changes }: UpdateInferenceKeyBody,
  ): Promise<InferenceKeyView> {
    if (!isUuid(id)) throw keyNotFound();
    return this.audit.change(context, async (tx, record) => {
      const stored = expected && (await lockKey(tx, id));
      const difference = stored && differenceOf('The key', inOrder(expected), inOrder(stored));
      if (difference !== undefined) throw keyChanged(difference);
      const updated = await updateKey(tx, id, changes);
      if (!updated) throw (await tx.store(InferenceKey).findOne({ id })) ? revokedKey() : keyNotFound();
      const { key, isNotified } = updated;
      const { key_id: keyId } = key;
      await record({ resourceType: 'inference_key', resourceId: keyId, details: { ...changes } });
      if (isNotified) tx.onCommit(() => this.verifier.forget(keyId));
      return key;
    });
  }

  /** From the commit on no request is admitted; admitted requests are served and settled. */
  async revoke(context: OrgContext, id: string): Promise<void> {
    if (!isUuid(id)) throw keyNotFound();
    await this.audit.change(context, async (tx, record) => {
      const keyId = await revokeKey(tx, id);
      if (keyId === undefined) throw keyNotFound();
      await record({ resourceType: 'inference_key', resourceId: keyId });
      tx.onCommit(() => this.verifier.forget(keyId));
    });
  }
}

/** Its models are a set: whoever names them in another order expects the same. */
const inOrder = <T extends ChangeableKeyMembers>(members: T): T =>
  members.models ? { ...members, models: [...members.models].sort() } : members;
