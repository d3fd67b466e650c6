import type { FailureFacts } from '../../../failures';
import type { OutboxEvent } from '../../../service/outbox-reader';
import { isProblem } from '../../../service/problems';
import type { ClusterContext } from '../cluster-context';
import type { EventHandler } from '../control-cluster';
import type { Leave } from '../places';
import { openRequests, type OpenAction } from './open-actions';
import type { Asked, RequestJournal } from './request-journal';
import { RequestRunner, type AtOnce } from './request-runner';

/** How requests of one kind are done. */
export interface Work<R> {
  /**
   * Reports the end. It is repeated after a failure or a crash, and finds what it has done before. It leaves
   * its place when what the places are for is over.
   */
  readonly perform: (request: R, leave: Leave) => Promise<void>;
  /** Reports a request as failed. @returns false if it has not failed: it is tried again */
  readonly giveUp: (request: R, failure: FailureFacts) => Promise<boolean>;
}

type OfKind<R extends Asked, K> = R extends Asked ? (K extends R['kind'] ? R : never) : never;

interface Settings<R extends Asked> {
  /** @returns undefined for events of other clusters, and of other types */
  readonly requestOf: (event: OutboxEvent, clusterId: string) => R | undefined;
  /** The same, from the state of the service. */
  readonly requestOfAction: (open: OpenAction) => R | undefined | Promise<R | undefined>;
  /** What is open though no action of the service is, in the order in which it counts. */
  readonly alsoOpen?: () => Promise<readonly R[]>;
  readonly work: { readonly [K in R['kind']]: Work<OfKind<R, K>> };
  readonly atOnce?: AtOnce;
}

/** The actions of the service that a cluster has to carry out: checkpoints and restores. */
export class ActionRequests<R extends Asked> implements EventHandler {
  private readonly runner: RequestRunner<R>;

  constructor(
    private readonly context: ClusterContext,
    journal: RequestJournal<R>,
    private readonly settings: Settings<R>,
  ) {
    const { signal, log, mayPass, retryAfterMs: firstPauseMs } = context;
    const { atOnce } = settings;
    this.runner = new RequestRunner(journal, async (request, leave) => this.workOf(request).perform(request, leave), {
      signal,
      log,
      mayPass,
      firstPauseMs,
      atOnce,
      // The service deletes what belongs to a cluster together with it.
      isGone: (error) => isProblem(error, 'action_not_found', 'checkpoint_not_found'),
      giveUp: async (request, failure) => this.workOf(request).giveUp(request, failure),
    });
  }

  resume(): Promise<number> {
    return this.runner.resume();
  }

  discard(): Promise<void> {
    return this.runner.discard();
  }

  take(events: readonly OutboxEvent[]): Promise<void> {
    const clusterId = this.context.clusterId();
    const requests = events.map((event) => this.settings.requestOf(event, clusterId));
    return this.runner.take(requests.filter((one) => one !== undefined));
  }

  async resync(): Promise<void> {
    const { service, clusterId } = this.context;
    const { requestOfAction, alsoOpen } = this.settings;
    const open = await openRequests(service, clusterId(), requestOfAction);
    await this.runner.take([...((await alsoOpen?.()) ?? []), ...open]);
  }

  idle(): Promise<void> {
    return this.runner.idle();
  }

  /** The journal may be of another version of this program. */
  private workOf({ kind }: R): Work<R> {
    const work = (this.settings.work as Readonly<Partial<Record<string, unknown>>>)[kind];
    if (work === undefined) throw new Error(`This agent knows no requests of the kind ${kind}.`);
    return work as Work<R>;
  }
}
