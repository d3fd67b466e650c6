import type { Client } from '../../support/fleet/client';
import type { Pace } from '../../support/fleet/pace';
import type { Asked } from './attempts';

const LOOK_EVERY_MS = 1_000;

interface OpenAction {
  readonly action_id: string;
  readonly checkpoint_id: string;
  readonly type: string;
  readonly node_name: string | null;
  readonly details: { readonly action_id?: string } | null;
}

/** What policies and people ask of the workloads of a cluster: the open actions that nobody has taken up. */
export class Requests {
  private open: readonly OpenAction[] = [];
  /** Actions that were taken up, each with its node. */
  private readonly taken = new Map<string, string>();

  constructor(
    private readonly client: Client,
    private readonly pace: Pace,
    private readonly clusterId: string,
  ) {}

  /** Ends only when the demo stops. */
  async watch(): Promise<void> {
    for (;;) {
      const path = `/v1/actions?open=true&limit=200&cluster_id=${this.clusterId}`;
      this.open = (await this.client.get<OpenAction[]>(path)).body;
      await this.pace.sleep(LOOK_EVERY_MS);
    }
  }

  /** What the agent itself has asked for is no request. */
  own(actionId: string, node: string): string {
    this.taken.set(actionId, node);
    return actionId;
  }

  /** Waits for a request for what runs on a node. @returns undefined if none came in time */
  async next(node: string, withinMs: number): Promise<Asked | undefined> {
    const until = performance.now() + withinMs;
    for (;;) {
      const found = this.open.findLast((action) => !this.taken.has(action.action_id) && this.nodeOf(action) === node);
      if (found) {
        return {
          actionId: this.own(found.action_id, node),
          isRestore: found.type === 'restore_pod',
          checkpointId: found.checkpoint_id,
          checkpointActionId: found.details?.action_id,
        };
      }
      const left = until - performance.now();
      if (left <= 0) return undefined;
      await this.pace.sleep(Math.min(left, LOOK_EVERY_MS));
    }
  }

  /** A restore names the checkpoint: it goes to the node that took it. */
  private nodeOf({ node_name: node, details }: OpenAction): string | undefined {
    return node ?? this.taken.get(details?.action_id ?? '');
  }
}
