/** Labels of a series by their names, without the metric's own name. */
export type Labels = ReadonlyMap<string, string>;

/**
 * Labels that can be taken once: a taken label becomes a column, the others stay labels. Prometheus renames a
 * target's label that collides with one of its own (`exported_pod` beside the exporter's `pod`): the target's
 * is used.
 */
export class Taken {
  private readonly left: Map<string, string>;

  constructor(labels: Labels) {
    this.left = new Map(labels);
  }

  /** The first of these labels that has a value; all of them are taken. */
  take(...names: string[]): string | undefined {
    let found: string | undefined;
    for (const name of names) {
      for (const key of [`exported_${name}`, name]) {
        const value = this.left.get(key);
        if (value !== undefined && value !== '') found ??= value;
        this.left.delete(key);
      }
    }
    return found;
  }

  /** As `take`, and leaves it among the labels. */
  look(name: string): string | undefined {
    return this.left.get(`exported_${name}`) || this.left.get(name) || undefined;
  }

  /** Whether the series and its target both have it. */
  renames(name: string): boolean {
    return this.left.has(`exported_${name}`);
  }

  /** The target's label if the series has one of the same name for itself, which stays a label. */
  takeOfTarget(name: string): string | undefined {
    if (!this.renames(name)) return undefined;
    const value = this.left.get(name);
    this.left.delete(name);
    return value || undefined;
  }

  get rest(): Record<string, string> {
    return Object.fromEntries([...this.left].filter(([, value]) => value !== ''));
  }
}

/** The host in the address of a target, if nothing else names the node. */
export const instanceHost = (labels: Taken): string | undefined =>
  labels.look('instance')?.replace(/^\[(.*)\](:\d+)?$|:\d+$/, (_all, host?: string) => host ?? '') || undefined;
