import type { Client } from '../../support/fleet/client';
import type { Pace } from '../../support/fleet/pace';
import { Attempts, type Kind, type Taken } from './attempts';
import { Requests } from './requests';

/** For how long a workload waits for a request before it does something by itself. */
const PATIENCE_MS = 6_000;
const REMOVE_EVERY_MS = 10_000;

export interface Workload {
  /** It has a node of its own, by which actions name it. */
  readonly node: string;
  /** Asks for a checkpoint. @returns the id of the action */
  readonly ask: () => Promise<string>;
}

/**
 * The agent of one cluster. It does what policies and people ask for. Now and then a workload is checkpointed
 * or restored without a policy.
 */
export class Agent {
  private readonly attempts: Attempts;
  private readonly requests: Requests;

  constructor(
    private readonly client: Client,
    private readonly pace: Pace,
    private readonly random: () => number,
    kind: Kind,
    private readonly clusterId: string,
  ) {
    this.attempts = new Attempts(client, pace, random, kind, clusterId);
    this.requests = new Requests(client, pace, clusterId);
  }

  /** Each ends only when the demo stops. The first attempt of the first workload fails. */
  work(workloads: readonly Workload[]): Promise<void>[] {
    return [
      this.requests.watch(),
      this.remove(),
      ...workloads.map((workload, place) => this.serve(workload, { after: place * 300, mustFail: place === 0 })),
    ];
  }

  private async serve(workload: Workload, { after, mustFail }: { after: number; mustFail: boolean }): Promise<void> {
    const { attempts, requests, random } = this;
    const byItself = async (fails: boolean) =>
      attempts.checkpoint(requests.own(await workload.ask(), workload.node), fails);
    let last: Taken | undefined;
    await this.pace.sleep(after);
    // A failure to look at from the beginning.
    if (mustFail) await byItself(true);
    last = await byItself(false);
    for (;;) {
      const asked = await requests.next(workload.node, PATIENCE_MS * (0.5 + random()));
      if (asked?.isRestore)
        await attempts.restore(
          { checkpointId: asked.checkpointId, actionId: asked.checkpointActionId },
          workload.node,
          asked,
        );
      else if (asked) last = (await attempts.checkpoint(asked.actionId)) ?? last;
      else if (last && random() < 0.4) await attempts.restore(last, workload.node);
      else last = (await byItself(false)) ?? last;
    }
  }

  /** Confirms that bytes which nobody wants any longer are gone. */
  private async remove(): Promise<void> {
    for (;;) {
      const path = `/v1/checkpoints?awaiting_removal=true&cluster_id=${this.clusterId}`;
      const { body } = await this.client.get<{ id: string }[]>(path);
      for (const { id } of body) await this.client.put(`/v1/checkpoints/removed/${id}`, {});
      await this.pace.sleep(REMOVE_EVERY_MS);
    }
  }
}
