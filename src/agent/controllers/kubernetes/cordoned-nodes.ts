import type { Logger } from 'pino';
import { timestamp } from '../../clock';
import { AgentFailure } from '../../failures';
import { pause } from '../../service/retries';
import type { Loop } from '../common/control-cluster';
import { isRefusal, mayPassLater } from './cluster/refusals';
import { NODES, type Node } from './cluster/resources';
import type { KubernetesCluster } from './kubernetes-cluster';
import { annotation, CORDONED } from './pods/marks';

const LOOK_EVERY_MS = 10_000;
/** A node that this agent may not uncordon is tried again: somebody may have mended that. */
const KEPT_FOR_MS = 600_000;
/** Also at the end of a window: a taint that is newer than the end is somebody else's. */
const LEAST_CORDONED_MS = 60_000;
/** Kubernetes adds it to each node that is cordoned, with the time. */
const CORDON_TAINT = 'node.kubernetes.io/unschedulable';

interface Tools {
  readonly cluster: KubernetesCluster;
  readonly signal: AbortSignal;
  readonly log: Logger;
  readonly say: (line: string) => void;
  readonly lookEveryMs?: number | undefined;
}

/**
 * Cordons nodes for the time of a maintenance window, and takes back only what it did itself: an annotation
 * of the node says until when, so whoever takes over knows it.
 */
export class CordonedNodes implements Loop {
  /** Those that this agent may not uncordon, by their names, and when it tries again. People know of them. */
  private readonly kept = new Map<string, number>();

  constructor(private readonly tools: Tools) {}

  /** No new pod starts there; those that run stay. @param until end of the window */
  async cordon(name: string, until: string): Promise<void> {
    const { cluster, say } = this.tools;
    const node = await cluster.client.get(NODES, { name });
    if (!node) return;
    const known = isCordonedSince(node) ? undefined : annotation(node, CORDONED);
    const last = known !== undefined && known > until && isTime(known) ? known : until;
    // Either for long enough, or somebody else has cordoned it, and will take that back.
    if (isCordoned(node) && (known ?? last) === last) return;
    const least = new Date(Date.parse(timestamp()) + LEAST_CORDONED_MS).toISOString();
    const end = last > least ? last : least;
    await this.change(name, true, end);
    this.kept.delete(name);
    say(`Cordoned the node ${name} until ${end}.`);
  }

  async run(): Promise<void> {
    const { cluster, signal, lookEveryMs = LOOK_EVERY_MS } = this.tools;
    while (!signal.aborted) {
      for (const name of this.kept.keys()) if (!cluster.nodes.get(name)) this.kept.delete(name);
      const names = [...cluster.nodes.all()].map(({ metadata }) => metadata?.name ?? '');
      for (const name of names) await this.uncordonDue(name).catch((error: unknown) => this.noteKept(name, error));
      await pause(lookEveryMs, signal);
    }
  }

  private async uncordonDue(name: string): Promise<void> {
    const { cluster, say } = this.tools;
    if (!isDue(cluster.nodes.get(name)) || performance.now() < (this.kept.get(name) ?? 0)) return;
    // A watch may lag behind the beginning of another window.
    const node = await cluster.client.get(NODES, { name });
    if (!isDue(node)) return;
    const stays = isCordonedSince(node);
    try {
      await this.change(name, isCordoned(node) && !stays ? false : undefined, null, node.metadata?.resourceVersion);
    } catch (error) {
      // Somebody has changed it meanwhile: the next look shows how.
      if (isRefusal(error, 409)) return;
      throw error;
    }
    this.kept.delete(name);
    if (stays) say(`The node ${name} stays cordoned: somebody else has cordoned it after its maintenance window.`);
    else say(`Uncordoned the node ${name}: its maintenance window is over.`);
  }

  private noteKept(name: string, error: unknown): void {
    const { signal, log, say } = this.tools;
    if (signal.aborted) return;
    const isKnown = this.kept.has(name);
    // With --no-drain, its role may lack that right.
    const isRefused = error instanceof AgentFailure && !mayPassLater(error);
    if (isRefused) this.kept.set(name, performance.now() + KEPT_FOR_MS);
    if (isKnown) return;
    log.warn({ err: error, node: name }, 'a node was not uncordoned');
    if (isRefused) say(`The node ${name} stays cordoned, although its maintenance window is over: ${error.message}`);
  }

  /** @param version that the node must have; undefined: any */
  private async change(
    name: string,
    unschedulable: boolean | undefined,
    until: string | null,
    version?: string,
  ): Promise<void> {
    const spec = unschedulable === undefined ? {} : { spec: { unschedulable } };
    const unchanged = version === undefined ? {} : { resourceVersion: version };
    const patch = { metadata: { ...unchanged, annotations: { [CORDONED]: until } }, ...spec };
    await this.tools.cluster.client.patch(NODES, { name }, patch);
  }
}

/** Whether new pods stay away from it, whoever cordoned it. */
export async function isCordonedNode({ client }: Pick<KubernetesCluster, 'client'>, name: string): Promise<boolean> {
  const node = await client.get(NODES, { name });
  return node !== undefined && isCordoned(node);
}

const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));

/** Whether this agent has cordoned it, for a window that is over. */
function isDue(node: Node | undefined): node is Node {
  const until = node && annotation(node, CORDONED);
  return until !== undefined && (until <= timestamp() || !isTime(until));
}

/** Whether somebody else has cordoned it, after the end that its annotation states. */
function isCordonedSince(node: Node): boolean {
  const until = annotation(node, CORDONED);
  const { timeAdded } = node.spec?.taints?.find(({ key }) => key === CORDON_TAINT) ?? {};
  return until !== undefined && timeAdded !== undefined && Date.parse(timeAdded) > Date.parse(until);
}

const isCordoned = ({ spec }: Node): boolean => spec?.unschedulable === true;
