import { randomUUID } from 'node:crypto';
import { buildPod } from '../builders';
import type { Hosted, SimulatedNode } from './nodes';

/** A checkpoint that a worker is brought back from. */
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
  /** Events that were told of it. */
  sequence = 0;
  ready = false;
  /** Its node is gone. */
  lost = false;
  /**
   * What its memory holds the difference to: the checkpoint that it came from or that was taken of it last.
   */
  basis: string | null = null;

  constructor(
    readonly profileId: string,
    readonly node: SimulatedNode,
    /** Of what was wanted when it was made. */
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

  /** It is off its node, one way or another. */
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

/** Kubernetes tells times to the second. */
const seconds = (): string => new Date().toISOString().replace(/\.\d+Z$/, 'Z');
