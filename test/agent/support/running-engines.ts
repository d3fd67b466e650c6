import { readdirSync, readFileSync } from 'node:fs';

const LOOK_EVERY_MS = 50;

/** What runs on this machine, by the first word of its command line. */
export const programs = (name: string): { pid: number; args: string[] }[] =>
  readdirSync('/proc')
    .filter((entry) => /^\d+$/.test(entry))
    .flatMap((pid) => {
      try {
        const [program = '', ...args] = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
        return program === name || program.endsWith(`/${name}`) ? [{ pid: Number(pid), args }] : [];
      } catch {
        // It has just ended.
        return [];
      }
    });

/** Of each profile, the processes of its engines, without what stands around them. */
export const enginesOf = (profileIds: readonly string[]): number[] => {
  const engines = programs('python3');
  return profileIds.map((id) => engines.filter(({ args }) => args.includes(id)).length);
};

/** Looks all the time whether there are more engines than anybody wants. */
export class EngineWatch {
  /** Looks that found too many. */
  readonly excesses: string[] = [];
  looks = 0;
  private allowed: readonly number[] = [];
  private readonly timer = setInterval(() => this.look(), LOOK_EVERY_MS);

  constructor(private readonly profileIds: readonly string[]) {}

  /** @param most of each profile from now on */
  allow(most: readonly number[]): void {
    this.allowed = most;
  }

  end(): void {
    clearInterval(this.timer);
  }

  private look(): void {
    this.looks++;
    const found = enginesOf(this.profileIds);
    const excess = found.reduce((sum, count, place) => sum + Math.max(0, count - (this.allowed[place] ?? 0)), 0);
    if (excess > 0) this.excesses.push(`${found.join()} engines where ${this.allowed.join()} are wanted at most`);
  }
}
