export type Details = Readonly<Record<string, string | number | boolean | null>>;

export interface Entry {
  /** Milliseconds since the fleet was made. */
  readonly at: number;
  readonly actor: string;
  /** Drawn from the actor's own seed, whatever the service answered; else something that happened. */
  readonly decided: boolean;
  readonly what: string;
  readonly details: Details;
}

/** What every actor of a fleet decided and did, in the order in which it was done. */
export class Journal {
  readonly entries: Entry[] = [];
  private readonly began = performance.now();

  decided(actor: string, what: string, details: Details): void {
    this.add(actor, true, what, details);
  }
  did(actor: string, what: string, details: Details = {}): void {
    this.add(actor, false, what, details);
  }

  /** What actors did of one kind. */
  all(what: string, matching: Details = {}): Details[] {
    const wanted = Object.entries(matching);
    return this.entries
      .filter((entry) => entry.what === what && !entry.decided)
      .map(({ details }) => details)
      .filter((details) => wanted.every(([name, value]) => details[name] === value));
  }

  /** By actor, the sequence of what it decided: two fleets of one seed have the same, as far as both went. */
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
