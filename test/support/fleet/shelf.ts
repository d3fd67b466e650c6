import type { Nodes } from './nodes';

export type Tier = 'memory' | 'local' | 'shared' | 'object';

/** A checkpoint as it really lies somewhere. */
export interface Bytes {
  readonly artifactId: string;
  readonly profileId: string;
  readonly parentId: string | null;
  readonly nodeName: string;
  readonly bootId: string;
  tier: Tier;
}

export const isBootTied = (tier: Tier): boolean => tier === 'memory' || tier === 'local';

/** What was really written, and is still there: the truth that the service's answers are held against. */
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

  /** Whether a worker can come back from it: it and everything that it holds the difference to are there. */
  isWhole(artifactId: string): boolean {
    const bytes = this.bytes.get(artifactId);
    if (!bytes) return false;
    const { tier, nodeName, bootId, parentId } = bytes;
    const there = !isBootTied(tier) || this.nodes.named(nodeName)?.holds(bootId) === true;
    return there && (parentId === null || this.isWhole(parentId));
  }
}
