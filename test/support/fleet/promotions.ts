import type { FleetContext } from './context';
import { Dice, promotionPlan, type PromotionPlan } from './decisions';
import type { Nodes } from './nodes';
import { isBootTied, type Shelf, type Tier } from './shelf';

interface PromotedArtifact {
  readonly profile_id: string;
  readonly storage_tier: Tier;
  readonly metadata: { readonly promotion?: { readonly state: string } };
}

/** Copies checkpoints to hotter tiers. */
export class Promotions {
  private readonly dice = new Map<string, Dice>();
  private readonly underWay = new Set<string>();

  constructor(
    private readonly context: FleetContext,
    private readonly nodes: Nodes,
    private readonly shelf: Shelf,
  ) {}

  get idle(): boolean {
    return this.underWay.size === 0;
  }

  /** Called for a requested promotion, possibly more than once. */
  async promote(artifactId: string): Promise<void> {
    if (this.underWay.has(artifactId)) return;
    this.underWay.add(artifactId);
    try {
      const path = `/v1/inference/artifacts/${encodeURIComponent(artifactId)}`;
      const { body } = await this.context.controller.get<PromotedArtifact>(path);
      if (body.metadata.promotion?.state !== 'pending') return;
      const plan = this.decide(body.profile_id);
      await this.context.pace.wait(plan.takesMs);
      const promotion = this.arrives(artifactId, body.storage_tier, plan) ? 'confirmed' : 'failed';
      await this.context.controller.patch(path, { promotion }, { onRetry: [409] });
      const bytes = this.shelf.get(artifactId);
      if (bytes && promotion === 'confirmed') bytes.tier = body.storage_tier;
      this.context.journal.did('promotions', promotion, { artifact: artifactId, tier: body.storage_tier });
    } finally {
      this.underWay.delete(artifactId);
    }
  }

  private decide(profileId: string): PromotionPlan {
    const actor = `promotions of ${profileId}`;
    const dice = this.dice.get(actor) ?? new Dice(this.context.options.seed, actor);
    this.dice.set(actor, dice);
    const plan = promotionPlan(dice, this.context.options);
    this.context.journal.decided(actor, 'promotion', { ...plan });
    return plan;
  }

  /** Data can be copied to a node only during the boot that the service knows. */
  private arrives(artifactId: string, tier: Tier, { fails }: PromotionPlan): boolean {
    const bytes = this.shelf.get(artifactId);
    const reachable =
      !isBootTied(tier) || (bytes !== undefined && this.nodes.named(bytes.nodeName)?.holds(bytes.bootId) === true);
    return !fails && reachable;
  }
}
