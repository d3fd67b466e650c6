import { goOn } from './client';
import type { FleetContext } from './context';
import { askPlan, Dice, type AskPlan } from './decisions';
import type { Profile } from './profiles';

const STATES = {
  active: { desired_state: 'Active', desired_replicas: 1 },
  released: { desired_state: 'Active', desired_replicas: 0 },
  suspended: { desired_state: 'Suspended' },
} as const;

interface AskedIntent {
  readonly id: string;
  readonly generation: number;
  readonly status: string;
}

/** Sends random requests for one profile. */
export class Operators {
  private readonly actor: string;

  constructor(
    private readonly context: FleetContext,
    private readonly profile: Profile,
  ) {
    this.actor = `operators of ${profile.id}`;
  }

  async run(): Promise<never> {
    const { options, journal, unrest } = this.context;
    const dice = new Dice(options.seed, this.actor);
    for (let first = true; ; first = false) {
      const plan = askPlan(dice, options, first);
      journal.decided(this.actor, 'ask', { ...plan });
      await unrest.wait(plan.afterMs);
      await goOn(this.ask(plan));
    }
  }

  private ask(plan: AskPlan): Promise<void> {
    if (plan.ask === 'promote') return this.promote(plan);
    if (plan.ask === 'checkpoint') return this.request('checkpoint', { reason: 'now and then' });
    if (plan.ask === 'restart') return this.request('restart');
    return this.set(STATES[plan.ask], plan);
  }

  private async set(state: (typeof STATES)[keyof typeof STATES], { deadlineMs }: AskPlan): Promise<void> {
    const { operator, pace } = this.context;
    const deadline = deadlineMs === 0 ? null : Math.ceil(deadlineMs / pace.speed);
    const path = `/v1/inference/profiles/${this.profile.id}/state`;
    const { body } = await operator.post<AskedIntent>(path, { ...state, deadline_ms: deadline });
    const { id, generation, status } = body;
    this.did('asked', { intent: id, generation, status, state: state.desired_state, deadline });
  }

  /** Refused if nothing can be checkpointed or restored. */
  private async request(kind: 'checkpoint' | 'restart', body?: object): Promise<void> {
    const path = `/v1/inference/profiles/${this.profile.id}/${kind}`;
    const answer = await this.context.operator.post<{ request_id: string }>(path, body, { also: [409] });
    if (answer.status === 202) this.did('requested', { kind, request: answer.body.request_id });
    else this.did('refused', { kind });
  }

  private async promote({ which, tier }: AskPlan): Promise<void> {
    type Candidate = { artifact_id: string; storage_tier: string; metadata: { promotion?: { state: string } } };
    const list = `/v1/inference/artifacts?status=ready&limit=1000&profile_id=${this.profile.id}`;
    const { body } = await this.context.operator.get<Candidate[]>(list);
    const colder = tier === 'shared' ? ['object'] : ['object', 'shared'];
    const possible = body.filter(
      ({ storage_tier, metadata }) => colder.includes(storage_tier) && metadata.promotion?.state !== 'pending',
    );
    const chosen = possible[Math.floor(which * possible.length)];
    if (!chosen) return;
    const path = `/v1/inference/artifacts/${encodeURIComponent(chosen.artifact_id)}/promote`;
    // Retention may have been faster.
    const { status } = await this.context.operator.post(path, { tier }, { also: [409], onRetry: [400] });
    this.did(status === 409 ? 'refused' : 'promoted', { kind: 'promote', artifact: chosen.artifact_id, tier });
  }

  private did(what: string, details: Record<string, string | number | null>): void {
    this.context.journal.did(this.actor, what, { profile: this.profile.id, ...details });
  }
}
