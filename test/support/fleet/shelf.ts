import type { Nodes } from './nodes';

export type Tier = 'memory' | 'local' | 'shared' | 'object';

/** A checkpoint as it is really stored. */
export interface Bytes {
  readonly artifactId: string;
  readonly profileId: string;
  readonly parentId: string | null;
  readonly nodeName: string;
  readonly bootId: string;
  tier: Tier;
}

export const isBootTied = (tier: Tier): boolean => tier === 'memory' || tier === 'local';

/**
 * The checkpoints that were really written and still exist: the truth to compare the service's answers with.
 */
export class Shelf {
  private readonly bytes = new Map<string, Bytes>();

  constructor(private readonly nodes: Nodes) {}

  get all(): Bytes[] {
    return [...this.bytes.values()];
  }
  put(bytes: Bytes): void {
    this.bytes.set(bytes.artifactId, bytes);
  }
  get(artifactId: string): Bytes | undefined {
    return this.bytes.get(artifactId);
  }

  /** Whether a worker can be restored from it: it and all its parents exist. */
  isWhole(artifactId: string): boolean {
    const bytes = this.bytes.get(artifactId);
    if (!bytes) return false;
    const { tier, nodeName, bootId, parentId } = bytes;
    const there = !isBootTied(tier) || this.nodes.named(nodeName)?.holds(bootId) === true;
    return there && (parentId === null || this.isWhole(parentId));
  }
}
