import { CHECKPOINT_STAGES, type OnProgress } from '../../stages';

/** Gives the place of a piece of work to the next one while it goes on. Only the first time counts. */
export type Leave = () => void;

/** Lets so many pieces of work run at once; the others wait in order. */
export class Places {
  private readonly waiting: (() => void)[] = [];
  private readonly patient: (() => void)[] = [];

  constructor(private free: number) {}

  /** @param isPatient it waits behind all that are not, also those that come later */
  async run<T>(work: (leave: Leave) => Promise<T>, isPatient = false): Promise<T> {
    if (this.free > 0) this.free--;
    else await new Promise<void>((begin) => (isPatient ? this.patient : this.waiting).push(begin));
    let has = true;
    const leave = (): void => {
      if (!has) return;
      has = false;
      const next = this.waiting.shift() ?? this.patient.shift();
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

  async run<T>(owner: string, work: (leave: Leave) => Promise<T>, isPatient = false): Promise<T> {
    const own = this.owners.get(owner) ?? { places: new Places(this.each), works: 0 };
    this.owners.set(owner, own);
    own.works++;
    try {
      return await own.places.run((leaveOwn) => {
        const leaveBoth = (leaveAll: Leave): void => [leaveAll, leaveOwn].forEach((leave) => leave());
        return this.all.run((leaveAll) => work(() => leaveBoth(leaveAll)), isPatient);
      }, isPatient);
    } finally {
      if (--own.works === 0) this.owners.delete(owner);
    }
  }
}

/** There is room for the next dump as soon as one of these is reported. */
const AFTER_DUMP: readonly string[] = CHECKPOINT_STAGES.slice(CHECKPOINT_STAGES.indexOf('dump') + 1);

/** Gives the place of a checkpoint to the next one when its dump is over: an upload keeps nobody waiting. */
export const leavingAfterDump =
  (leave: Leave, onProgress: OnProgress): OnProgress =>
  (progress) => {
    if (AFTER_DUMP.includes(progress.stage)) leave();
    onProgress(progress);
  };
