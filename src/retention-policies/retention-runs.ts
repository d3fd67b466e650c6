import { Injectable, type OnModuleInit } from '@nestjs/common';
import { expireArtifacts, lockFreeArtifacts, retentionFacts, type Expiry } from '../artifacts/artifacts.queries';
import { newId } from '../common/ids';
import type { OrgScope, Tx } from '../database/tx';
import { UnitOfWork } from '../database/unit-of-work';
import { Sweeps } from '../scheduling/sweeps';
import { enabledLimits, organisationsWithLimits, recordRun } from './retention-policies.queries';
import { decideRetention } from './retention-rule';

const NAME = 'retention';
const EVERY_SECONDS = 60;

/** Artefacts that one transaction lets expire. */
const EXPIRED_AT_ONCE = 1_000;

/** Lets artefacts expire that the policies of their organisation do not keep. */
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

  /** @returns how many artefacts it let expire */
  run(scope: OrgScope): Promise<number> {
    return this.unitOfWork.run(scope, async (tx) => {
      const { expiries: wanted } = await decide(tx);
      if (wanted.length === 0) return 0;
      // Once they are locked, nobody makes one of them golden, descends from it or starts from it: what is decided then stands.
      // The newest first, so that none goes before those that descend from it.
      const free = await lockFreeArtifacts(
        tx,
        wanted.slice(0, EXPIRED_AT_ONCE).map(({ artifact_id: id }) => id),
      );
      const { expiries, considered } = await decide(tx);
      const expired = expiries.filter(({ artifact_id: id }) => free.has(id));
      if (expired.length === 0) return 0;
      await expireArtifacts(tx, expired);
      await recordRun(tx, newId(), considered, expired);
      return expired.length;
    });
  }
}

async function decide(tx: Tx): Promise<{ expiries: Expiry[]; considered: number }> {
  const artifacts = await retentionFacts(tx);
  const decisions = decideRetention(artifacts, await enabledLimits(tx));
  const expiries = decisions
    .filter(({ decision }) => decision === 'expire')
    .map(({ artifactId, policyId, reason }) => ({ artifact_id: artifactId, policy_id: policyId, reason }));
  return { expiries, considered: artifacts.length };
}
