export type Details = Readonly<Record<string, string | number | boolean | null>>;

export interface Entry {
  /** Milliseconds since the fleet was created. */
  readonly at: number;
  readonly actor: string;
  /** Decided by the actor's own seed, whatever the service answered; otherwise an observation. */
  readonly decided: boolean;
  readonly what: string;
  readonly details: Details;
}

/** Everything that the actors decided and did, in order. */
export class Journal {
  readonly entries: Entry[] = [];
  private readonly began = performance.now();

  decided(actor: string, what: string, details: Details): void {
    this.add(actor, true, what, details);
  }
  did(actor: string, what: string, details: Details = {}): void {
    this.add(actor, false, what, details);
  }

  /** The entries of one kind. */
  all(what: string, matching: Details = {}): Details[] {
    const wanted = Object.entries(matching);
    return this.entries
      .filter((entry) => entry.what === what && !entry.decided)
      .map(({ details }) => details)
      .filter((details) => wanted.every(([name, value]) => details[name] === value));
  }

  /**
   * By actor, the sequence of its decisions. Two fleets of one seed have equal sequences, as far as both got.
   */
  decisions(): Map<string, { what: string; details: Details }[]> {
    const decisions = new Map<string, { what: string; details: Details }[]>();
    for (const { actor, decided, what, details } of this.entries)
      if (decided) decisions.set(actor, [...(decisions.get(actor) ?? []), { what, details }]);
    return decisions;
  }

  private add(actor: string, decided: boolean, what: string, details: Details): void {
    this.entries.push({ at: Math.round(performance.now() - this.began), actor, decided, what, details });
  }
}
