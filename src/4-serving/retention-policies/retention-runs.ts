import { Injectable, type OnModuleInit } from '@nestjs/common';
import {
  expireArtifacts,
  lockFreeArtifacts,
  keptArtifacts,
  type Expiry,
  type KeptArtifact,
} from '../artifacts/residency/kept-artifacts.queries';
import { newId } from '../../1-platform/common/ids';
import type { OrgScope, Tx } from '../../1-platform/database/transactions/tx';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { Sweeps } from '../../1-platform/scheduling/sweeps';
import { enabledLimits, organisationsWithLimits, recordRun } from './retention-policies.queries';
import { decideRetention, withoutAncestorsOfOthers } from './retention-rule';

const NAME = 'retention';
const EVERY_SECONDS = 60;

/** Artifacts that one transaction expires. */
const EXPIRED_AT_ONCE = 1_000;

/** Expires artifacts that the policies of their organisation do not keep. */
@Injectable()
export class RetentionRuns implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: NAME, everySeconds: EVERY_SECONDS, run: () => this.runAll() });
  }

  async runAll(): Promise<void> {
    const organisations = await this.unitOfWork.system('every organisation has policies', organisationsWithLimits);
    await this.sweeps.each(NAME, organisations, async (orgId) => {
      while ((await this.run({ orgId })) === EXPIRED_AT_ONCE && !this.sweeps.stopping);
    });
  }

  /** @returns the number of expired artifacts */
  run(scope: OrgScope): Promise<number> {
    return this.unitOfWork.run(scope, async (tx) => {
      const { expiries: wanted } = await decide(tx);
      if (wanted.length === 0) return 0;
      // The locks prevent concurrent changes that would keep an artifact: golden marks, new children, starts.
      // So the second decision holds. Newest first, so that no artifact has to wait for its descendants.
      const free = await lockFreeArtifacts(
        tx,
        wanted.slice(0, EXPIRED_AT_ONCE).map(({ artifact_id: id }) => id),
      );
      const { expiries, artifacts } = await decide(tx);
      // A locked artifact may be about to be kept, and so may one that did not exist when the locks were
      // taken.
      const ready = expiries.filter(({ artifact_id: id }) => free.has(id));
      const going = withoutAncestorsOfOthers(artifacts, new Set(ready.map(({ artifact_id: id }) => id)));
      const expired = ready.filter(({ artifact_id: id }) => going.has(id));
      if (expired.length === 0) return 0;
      await expireArtifacts(tx, expired);
      await recordRun(tx, newId(), artifacts.length, expired);
      return expired.length;
    });
  }
}

async function decide(tx: Tx): Promise<{ expiries: Expiry[]; artifacts: KeptArtifact[] }> {
  const artifacts = await keptArtifacts(tx);
  const decisions = decideRetention(artifacts, await enabledLimits(tx));
  const expiries = decisions
    .filter(({ decision }) => decision === 'expire')
    .map(({ artifactId, policyId, reason }) => ({ artifact_id: artifactId, policy_id: policyId, reason }));
  return { expiries, artifacts };
}
