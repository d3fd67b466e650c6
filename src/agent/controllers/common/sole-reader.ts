import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { NIL, v5 } from 'uuid';
import { AgentFailure } from '../../failures';
import { readJson, writeJson } from '../../files/json-file';
import type { ServiceClient } from '../../service/client';
import { ServiceProblem } from '../../service/problems';
import { pause } from '../../service/retries';
import { UUID } from '../../uuid';
import type { ControllerKind } from './cluster-context';

/**
 * A controller reads the outbox again after 25 s at the latest, and the service notes that once in 30 s. One
 * that was not seen for so long has ended, or cannot reach the service.
 */
const SILENT_MS = 90_000;
const CONFIRM_EVERY_MS = 30_000;
/** The name of a consumer has at most 128 characters, that of a cluster 253. */
const SHOWN_NAME = 80;

/**
 * One controller at a time acts for a cluster: two would both carry out every request. Each state directory
 * reads the outbox under a name of its own, so the service knows who else does. Where this cannot be known,
 * nothing starts.
 */
export class SoleReader {
  private constructor(
    private readonly service: ServiceClient,
    private readonly cluster: { readonly kind: ControllerKind; readonly name: string },
    private readonly own: string,
  ) {}

  /**
   * @param directory of this cluster, in the state directory
   * @param common UUID of controllers of which one acts at a time; undefined: this one has one of its own
   */
  static async of(
    service: ServiceClient,
    cluster: SoleReader['cluster'],
    directory: string,
    common?: string,
  ): Promise<SoleReader> {
    if (common !== undefined) return new SoleReader(service, cluster, common);
    const file = join(directory, 'reader.json');
    const known = await readJson<{ id: string }>(file);
    const own = known ?? { id: randomUUID() };
    if (!known) await writeJson(file, own);
    return new SoleReader(service, cluster, own.id);
  }

  /** The name under which this state directory reads the outbox. */
  get consumerId(): string {
    return `${this.prefix}${this.own}`;
  }

  /** Throws `AgentFailure` if another controller acts for the cluster. */
  async claim(): Promise<void> {
    const [rival] = await this.rivals();
    if (rival !== undefined) throw this.taken(rival.seenMs);
  }

  /** Of two that started at the same moment, one goes on. Throws `AgentFailure` if that is the other one. */
  private async confirm(): Promise<void> {
    const rival = (await this.rivals()).find(({ id }) => id < this.own);
    if (rival !== undefined) throw this.taken(rival.seenMs);
  }

  /** Confirms now and then, until the signal ends it. @param taken gets the failure */
  async watch(signal: AbortSignal, log: Logger, taken: (failure: AgentFailure) => void): Promise<void> {
    while (!signal.aborted) {
      await pause(CONFIRM_EVERY_MS, signal);
      if (signal.aborted) return;
      await this.confirm().catch((error: unknown) => {
        if (error instanceof AgentFailure) taken(error);
        else if (!signal.aborted) log.warn({ err: error }, 'other readers of the outbox are not known');
      });
    }
  }

  private get prefix(): string {
    const { kind, name } = this.cluster;
    return `${kind} ${name.length <= SHOWN_NAME ? name : v5(name, NIL)} `;
  }

  /** Other readers that were seen lately, by the clock of the service. */
  private async rivals(): Promise<{ id: string; seenMs: number }[]> {
    const operation = 'list_outbox_consumers';
    const { data, error, response } = await this.service.api(operation).GET('/v1/inference/outbox/consumers');
    if (data === undefined) throw ServiceProblem.of(operation, response.status, error);
    const now = Date.parse(response.headers.get('date') ?? '');
    return (
      data
        .filter(({ consumer_id: id }) => id.startsWith(this.prefix))
        .map(({ consumer_id: id, last_seen_at: seen }) => ({
          id: id.slice(this.prefix.length),
          seenMs: Math.max(now - Date.parse(seen), 0),
        }))
        // The name of another cluster may begin with that of this one.
        .filter(({ id, seenMs }) => UUID.test(id) && id !== this.own && !(seenMs > SILENT_MS))
    );
  }

  private taken(seenMs: number): AgentFailure {
    const { kind, name } = this.cluster;
    return new AgentFailure({
      cause: 'name_taken',
      message:
        `Another agent with another state directory acts for the cluster ${name}. ` +
        `It was last seen ${Math.round(seenMs / 1_000)} seconds ago.`,
      remedy:
        `Give this ${kind} a cluster of its own with --cluster. To take over, end the other agent, and start ` +
        `this one ${SILENT_MS / 1_000} seconds later.`,
    });
  }
}
