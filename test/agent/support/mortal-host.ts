import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentProcess } from './agent';
import type { Machine } from './machine';
import type { Watchpoint } from './watchpoint';

const ANY_REPORT = /^(?:POST|PUT|PATCH|DELETE) /;
/** An agent that has nothing to report is killed all the same. */
const NO_REPORT_MS = 700;

/** A host agent that is killed at random moments, and whose successor has its state directory. */
export class MortalHost {
  kills = 0;
  private agent: AgentProcess;

  /**
   * @param options of the host agent
   * @param longestMs until it is killed
   */
  constructor(
    private readonly machine: Machine,
    private readonly watchpoint: Watchpoint,
    private readonly url: string,
    private readonly options: readonly string[],
    private readonly random: () => number,
    private readonly longestMs: number,
  ) {
    this.agent = this.start();
  }

  get pid(): number {
    return this.agent.pid;
  }

  /** Some time from now: at any moment, or at its next report, before or after the service has it. */
  async strike(): Promise<void> {
    const [waitMs, kind] = [this.random() * this.longestMs, this.random()];
    await sleep(waitMs);
    if (kind >= 0.5) await this.reports(kind < 0.75 ? 'before' : 'after');
    await this.agent.kill();
    this.kills++;
  }

  succeed(): void {
    this.agent = this.start();
  }

  private start(): AgentProcess {
    return this.machine.host(this.url, this.options);
  }

  private async reports(moment: 'before' | 'after'): Promise<void> {
    const { agent } = this;
    const reported = new Promise<void>((resolve) =>
      this.watchpoint.at(ANY_REPORT, moment, () => {
        agent.child.kill('SIGKILL');
        resolve();
      }),
    );
    await Promise.race([reported, sleep(NO_REPORT_MS)]);
    // The report of a successor must not be taken for it.
    this.watchpoint.disarm();
  }
}
