/** Gives the place of a piece of work to the next one while it goes on. Only the first time counts. */
export type Leave = () => void;

/** Lets so many pieces of work run at once; the others wait in order. */
export class Places {
  private readonly waiting: (() => void)[] = [];

  constructor(private free: number) {}

  async run<T>(work: (leave: Leave) => Promise<T>): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((begin) => this.waiting.push(begin));
    let has = true;
    const leave = (): void => {
      if (!has) return;
      has = false;
      const next = this.waiting.shift();
      // The place goes to the next one.
      if (next) next();
      else this.free++;
    };
    try {
      return await work(leave);
    } finally {
      leave();
    }
  }
}

/** Places that several share; none of them may take all. */
export class SharedPlaces {
  private readonly all: Places;
  private readonly owners = new Map<string, { readonly places: Places; works: number }>();

  /**
   * @param count of all
   * @param each that one owner may have
   */
  constructor(
    count: number,
    private readonly each: number,
  ) {
    this.all = new Places(count);
  }

  async run<T>(owner: string, work: () => Promise<T>): Promise<T> {
    const own = this.owners.get(owner) ?? { places: new Places(this.each), works: 0 };
    this.owners.set(owner, own);
    own.works++;
    try {
      return await own.places.run(() => this.all.run(() => work()));
    } finally {
      if (--own.works === 0) this.owners.delete(owner);
    }
  }
}
