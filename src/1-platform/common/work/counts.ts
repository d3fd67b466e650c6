/** How many of something each owner has. One that has none takes no memory. */
export class Counts {
  private readonly counts = new Map<string, number>();

  of(owner: string): number {
    return this.counts.get(owner) ?? 0;
  }

  change(owner: string, by: 1 | -1): void {
    const count = this.of(owner) + by;
    if (count > 0) this.counts.set(owner, count);
    else this.counts.delete(owner);
  }
}
