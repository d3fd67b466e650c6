import type { Logger } from 'pino';
import { timestamp } from '../../clock';
import { wordsOf, type SlurmRecord } from '../../slurm/records';
import type { SlurmCluster } from './slurm-cluster';

/** The reason of a node that this agent drained says until when, so no file has to. */
const REASON = /^ccp-agent: maintenance until (\S+)$/;
const reasonUntil = (until: string): string => `ccp-agent: maintenance until ${until}`;

/** Drains nodes for the time of a maintenance window, and takes back only what it did itself. */
export class DrainedNodes {
  /** By node and window: all jobs of a node move at the same time. */
  private readonly draining = new Map<string, Promise<void>>();

  constructor(
    private readonly cluster: SlurmCluster,
    private readonly log: Logger,
    private readonly say: (line: string) => void,
  ) {}

  /** No new job starts there; those that run stay. @param until end of the window */
  drain(node: string, until: string): Promise<void> {
    const key = `${node} ${until}`;
    const draining = this.draining.get(key) ?? this.drainNow(node, until).finally(() => this.draining.delete(key));
    this.draining.set(key, draining);
    return draining;
  }

  /** Whether new jobs stay away from it, whoever drained it. */
  async isDrained(node: string): Promise<boolean> {
    const record = await this.record(node);
    return record !== undefined && isDrained(record);
  }

  /** Resumes nodes whose window is over. */
  async resumeDue(nodes: readonly SlurmRecord[], now = timestamp()): Promise<void> {
    for (const record of nodes) {
      const until = untilOf(record);
      const { name } = record;
      if (until === undefined || until > now || typeof name !== 'string') continue;
      try {
        await this.cluster.updateNode(name, 'State=RESUME');
        this.say(`Resumed the node ${name}: its maintenance window is over.`);
      } catch (error) {
        this.log.warn({ err: error, node: name }, 'a node was not resumed');
      }
    }
  }

  private async drainNow(node: string, until: string): Promise<void> {
    const record = await this.record(node);
    const known = record && untilOf(record);
    if (known !== undefined && known >= until) return;
    // Somebody else has drained it, and will resume it.
    if (record && known === undefined && isDrained(record)) return;
    await this.cluster.updateNode(node, 'State=DRAIN', `Reason=${reasonUntil(until)}`);
    this.say(`Drained the node ${node} until ${until}.`);
  }

  private async record(node: string): Promise<SlurmRecord | undefined> {
    return (await this.cluster.nodes()).find(({ name }) => name === node);
  }
}

const isDrained = ({ state, state_flags: flags }: SlurmRecord): boolean =>
  [...wordsOf(state), ...wordsOf(flags)].some((word) => word.startsWith('DRAIN'));

/** @returns undefined if this agent did not drain it */
function untilOf(record: SlurmRecord): string | undefined {
  const until = REASON.exec(typeof record.reason === 'string' ? record.reason : '')?.[1];
  return until !== undefined && isDrained(record) && !Number.isNaN(Date.parse(until)) ? until : undefined;
}
