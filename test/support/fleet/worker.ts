import { randomUUID } from 'node:crypto';
import { buildPod } from '../builders';
import type { Hosted, SimulatedNode } from './nodes';

/** A checkpoint from which a worker is restored. */
export interface Source {
  readonly artifactId: string;
  readonly uri: string;
}

/** One worker: a pod on a node. */
export class Worker implements Hosted {
  readonly podUid: string = randomUUID();
  readonly activationId: string = randomUUID();
  readonly bootId: string;
  readonly name: string;
  readonly endpoint: string;
  private readonly createdAt = seconds();
  private readyAt: string | undefined;
  /** The number of events sent for it. */
  sequence = 0;
  ready = false;
  /** Its node has disappeared. */
  lost = false;
  /**
   * The checkpoint that its next incremental checkpoint builds on: the one it was restored from, or the last
   * one taken.
   */
  basis: string | null = null;

  constructor(
    readonly profileId: string,
    readonly node: SimulatedNode,
    /** The desired generation at its creation. */
    readonly generation: number,
    /** The checkpoint that its pod names. */
    private readonly named: Source | undefined,
    private readonly onLost: () => void,
  ) {
    this.bootId = node.bootId;
    this.name = `${profileId}-${this.podUid.slice(0, 8)}`;
    this.endpoint = `http://${this.name}.inference.svc:8000`;
    node.hosted.add(this);
  }

  lose(): void {
    this.lost = true;
    this.onLost();
  }

  serve(): void {
    this.ready = true;
    this.readyAt = seconds();
  }

  /** It has left its node, for whatever reason. */
  leave(): void {
    this.ready = false;
    this.node.hosted.delete(this);
  }

  /** The whole object, as kubectl prints it. */
  pod(phase: 'Pending' | 'Running' | 'Failed' | 'Succeeded'): { metadata: object } {
    const env = this.named ? [{ name: 'SVC_CHECKPOINT', value: this.named.uri }] : [];
    const running = phase === 'Running';
    const condition = (type: string, since: string | undefined) => ({
      type,
      status: since === undefined ? 'False' : 'True',
      lastTransitionTime: since ?? this.createdAt,
    });
    return buildPod(this.name, {
      metadata: {
        namespace: 'inference',
        uid: this.podUid,
        creationTimestamp: this.createdAt,
        labels: { profile: this.profileId },
        ...(phase === 'Failed' || phase === 'Succeeded' ? { deletionTimestamp: seconds() } : {}),
      },
      spec: { nodeName: this.node.name, containers: [{ name: 'worker', image: 'engine:1', env }] },
      status: {
        phase,
        startTime: this.createdAt,
        conditions: [
          condition('PodScheduled', this.createdAt),
          condition('Ready', running && this.ready ? this.readyAt : undefined),
        ],
        containerStatuses: [
          {
            name: 'worker',
            ready: running && this.ready,
            restartCount: 0,
            state: running ? { running: { startedAt: this.createdAt } } : {},
          },
        ],
      },
    });
  }
}

/** Kubernetes reports times in whole seconds. */
const seconds = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');
