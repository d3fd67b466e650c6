import type { Logger } from 'pino';
import { timestamp } from '../../clock';
import { pause } from '../../service/retries';
import type { Loop } from '../common/control-cluster';
import { isRefusal } from './cluster/refusals';
import { NODES, type Node } from './cluster/resources';
import type { KubernetesCluster } from './kubernetes-cluster';
import { annotation, CORDONED } from './pods/marks';

const LOOK_EVERY_MS = 10_000;

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
  /** Those of which people know that this agent may not uncordon them. */
  private readonly kept = new Set<string>();

  constructor(private readonly tools: Tools) {}

  /** No new pod starts there; those that run stay. @param until end of the window */
  async cordon(name: string, until: string): Promise<void> {
    const { cluster, say } = this.tools;
    const node = await cluster.client.get(NODES, { name });
    if (!node) return;
    const known = annotation(node, CORDONED);
    const last = known !== undefined && known > until && isTime(known) ? known : until;
    // Either for long enough, or somebody else has cordoned it, and will take that back.
    if (isCordoned(node) && (known ?? last) === last) return;
    await this.change(name, true, last);
    say(`Cordoned the node ${name} until ${last}.`);
  }

  async run(): Promise<void> {
    const { cluster, signal, lookEveryMs = LOOK_EVERY_MS } = this.tools;
    while (!signal.aborted) {
      for (const node of [...cluster.nodes.all()])
        await this.uncordonDue(node).catch((error: unknown) => this.noteKept(node, error));
      await pause(lookEveryMs, signal);
    }
  }

  /** @param now the window of a node is over if it ends before */
  private async uncordonDue(node: Node, now = timestamp()): Promise<void> {
    const until = annotation(node, CORDONED);
    const name = node.metadata?.name ?? '';
    if (until === undefined || (until > now && isTime(until))) return;
    await this.change(name, isCordoned(node) ? false : undefined, null);
    this.tools.say(`Uncordoned the node ${name}: its maintenance window is over.`);
  }

  private noteKept({ metadata }: Node, error: unknown): void {
    const { signal, log, say } = this.tools;
    if (signal.aborted) return;
    const name = metadata?.name ?? '';
    log.warn({ err: error, node: name }, 'a node was not uncordoned');
    // With --no-drain, its role may lack that right.
    if (!isRefusal(error, 403) || this.kept.has(name)) return;
    this.kept.add(name);
    say(`The node ${name} stays cordoned, although its maintenance window is over: ${error.message}`);
  }

  private async change(name: string, unschedulable: boolean | undefined, until: string | null): Promise<void> {
    const spec = unschedulable === undefined ? {} : { spec: { unschedulable } };
    const patch = { metadata: { annotations: { [CORDONED]: until } }, ...spec };
    await this.tools.cluster.client.patch(NODES, { name }, patch);
  }
}

/** Whether new pods stay away from it, whoever cordoned it. */
export async function isCordonedNode({ client }: Pick<KubernetesCluster, 'client'>, name: string): Promise<boolean> {
  const node = await client.get(NODES, { name });
  return node !== undefined && isCordoned(node);
}

const isTime = (text: string): boolean => !Number.isNaN(Date.parse(text));

const isCordoned = ({ spec }: Node): boolean => spec?.unschedulable === true;
