import type { IncomingMessage, ServerResponse } from 'node:http';
import { unavailable, type Problem } from '../../common/answers/problem';
import type { ServiceRequest, WorkPlace } from '../../common/work/request';
import { UnsentAnswers } from './unsent-answers';
import type { Sender } from './places-beside';
import type { Lane, Waiter } from './work-limits';

/**
 * The work of a client that disconnected keeps its place until it ends, but not for longer than this: nobody
 * waits for it any more. Most statements end before, by their timeout.
 */
const LEFT_BEHIND_MS = 30_000;

export const overloaded = (): Problem =>
  unavailable('overloaded', 'The service has more requests of this kind than it can answer; try again.');

/** Takes a place in a class in which nobody waits. @throws a 503 if there is none */
function enter(lane: Lane, orgId: string | undefined): void {
  if (lane.enter(orgId)) return;
  lane.refused++;
  throw overloaded();
}

/** See the constructor of `Place`. */
interface More {
  readonly beside?: Sender;
  readonly own?: Lane | undefined;
  readonly remote?: Lane;
  readonly orgId?: string | undefined;
}

/** The place of one request among the work in progress. */
export class Place implements WorkPlace {
  private held = true;
  /** Answered or abandoned: no place is taken again. */
  private over = false;
  private endings: (() => void)[] | undefined;
  private waits: { readonly waiter: Waiter; readonly refuse: () => void } | undefined;

  /** Its sender, until it has a place within the limit. */
  private beside: Sender | undefined;
  /** The organisation of its caller, once known. */
  private orgId: string | undefined;
  /** The organisation for which its place counts. */
  private heldFor: string | undefined;
  /** Its classes once its caller is known, if it has a place of strangers until then. */
  private known: { readonly own: Lane | undefined; readonly remote: Lane } | undefined;

  /**
   * @param remote the class of requests that wait for another service
   * @param more `beside`: when it has left the place beside the limit, it queues like a new request, because
   * others may pass the queue in its stead. `own` and `remote`: the classes once its caller is known.
   * `orgId`: the organisation for which it has entered its class
   */
  constructor(
    private lane: Lane,
    private remote: Lane,
    { beside, own, remote: known = remote, orgId }: More = {},
  ) {
    this.beside = beside;
    this.known = { own, remote: known };
    this.orgId = orgId;
    this.heldFor = orgId;
  }

  leave(): void {
    if (!this.held) return;
    this.held = false;
    if (this.beside) this.lane.beside.leave(this.beside);
    else this.lane.leave(this.heldFor);
    this.heldFor = undefined;
  }

  async again(): Promise<void> {
    if (this.held || this.over) return;
    if (this.beside ? this.lane.enterAfterBeside() : this.lane.enterAgain()) this.entered();
    else await this.wait();
  }

  async elsewhere<T>(call: () => Promise<T>): Promise<T> {
    const { remote, orgId } = this;
    if (!this.held || this.lane === remote) return call();
    enter(remote, orgId);
    this.leave();
    try {
      return await call();
    } finally {
      remote.leave(orgId);
      await this.again();
    }
  }

  callerIsKnown(orgId: string): void {
    const { known } = this;
    this.known = undefined;
    this.orgId = orgId;
    if (known === undefined) return;
    this.remote = known.remote;
    if (!this.held || known.own === undefined) return;
    enter(known.own, orgId);
    this.leave();
    this.lane = known.own;
    this.heldFor = orgId;
    this.held = true;
  }

  /** Has a place within the limit, and from now on returns to such a place like any other request. */
  private entered(): void {
    this.held = true;
    this.beside = undefined;
  }

  whenOver(done: () => void): void {
    if (this.over) done();
    else (this.endings ??= []).push(done);
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    this.stopWaiting();
    this.leave();
    for (const done of this.endings ?? []) done();
  }

  /** For a client that has disconnected: work that has not started is not needed. */
  stopWaiting(): void {
    if (!this.waits) return;
    this.lane.forget(this.waits.waiter);
    this.waits.refuse();
  }

  private wait(): Promise<void> {
    return new Promise((resolve, reject) => {
      const refuse = (): void => {
        this.waits = undefined;
        reject(overloaded());
      };
      const begin = (): void => {
        this.waits = undefined;
        this.entered();
        resolve();
      };
      const waiter = { begin, refuse, sender: this.beside?.bearer, wasAdmitted: true };
      this.waits = { waiter, refuse };
      const now = performance.now();
      const mayWait = this.beside ? this.lane.waitAfterBeside(waiter, now) : this.lane.waitAgain(waiter, now);
      if (!mayWait) refuse();
    });
  }
}

const unsent = new UnsentAnswers();

/** Gives a request its place until it is answered and its work is done. */
export function occupy(place: Place, req: IncomingMessage, res: ServerResponse): void {
  (req as ServiceRequest).place = place;
  res.once('prefinish', answered);
  res.once('close', closed);
}

/** The answer is complete, whether or not the client reads it. */
function answered(this: ServerResponse): void {
  (this.req as IncomingMessage & { place: Place }).place.end();
  unsent.add(this);
}

/**
 * A listener of responses that returns the place. All responses share it, because one for each would be
 * garbage.
 */
function closed(this: ServerResponse): void {
  const { place } = this.req as IncomingMessage & { place: Place };
  if (this.writableEnded) return place.end();
  place.stopWaiting();
  // The client disconnected, and the work continues until its handler ends the response. It keeps its place
  // and the memory of its body.
  const late = setTimeout(() => place.end(), LEFT_BEHIND_MS).unref();
  const end = this.end.bind(this) as (...args: unknown[]) => ServerResponse;
  this.end = (...args: unknown[]) => {
    clearTimeout(late);
    place.end();
    return end(...args);
  };
}
