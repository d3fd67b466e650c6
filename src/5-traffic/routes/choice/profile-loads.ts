import { Inject, Injectable, type OnApplicationShutdown, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { newId } from '../../../1-platform/common/ids';
import { parseJson } from '../../../1-platform/common/json/json';
import { LOGGER } from '../../../1-platform/common/logger';
import { recentlyUsed } from '../../../1-platform/common/work/recently-used';
import { Notifications } from '../../../1-platform/database/connections/notifications';
import { StatementPool } from '../../../1-platform/database/connections/statement-pool';
import { sendLoads } from './profile-loads.queries';
import { WaitingRooms } from './waiting-requests';

/** Channel on which replicas exchange their requests in flight. */
const CHANNEL = 'profile_loads';

/** How often a replica sends changed, and unchanged, counts. */
const SENT_EVERY_MS = 250;
const REPEATED_EVERY_MS = 1_000;
/** A replica that is silent for this long has no requests in flight any more. */
const BELIEVED_MS = 3_000;

/** PostgreSQL takes messages of less than 8,000 bytes. */
const MAX_MESSAGE_BYTES = 7_800;

interface Message {
  readonly replica: string;
  /** Of one report, which may take several messages. */
  readonly round: number;
  readonly last: boolean;
  /** Requests in flight and waiting ones, by `keyOf`. */
  readonly counts: readonly (readonly [string, number, number?])[];
}

interface Peer {
  receivedAt: number;
  counts: Counts;
  /** Parts of an incomplete report. */
  round: number;
  coming: Counts;
}

/** Profiles whose last use a replica remembers. */
const MAX_USED = 50_000;

/** By `keyOf`. */
interface Counts {
  readonly underWay: Map<string, number>;
  readonly waiting: Map<string, number>;
}

const noCounts = (): Counts => ({ underWay: new Map(), waiting: new Map() });

/**
 * Requests in flight, by profile and worker, and waiting requests, by profile. Replicas exchange their counts
 * four times a second, so a worker may exceed its limit only by requests that arrived in between, or that
 * another replica is about to admit.
 */
@Injectable()
export class ProfileLoads implements OnModuleInit, OnApplicationShutdown {
  private readonly replica = newId();
  private readonly here = noCounts();
  /** Places of requests that are not admitted yet. */
  private readonly held = new Map<string, number>();
  private readonly peers = new Map<string, Peer>();
  /** The sum over all peers. */
  private elsewhere = noCounts();
  /** When each profile last had a request in flight, of `performance.now`: the shortest ones too. */
  private readonly used = recentlyUsed<{ readonly at: number }>({ most: MAX_USED });
  /** Profiles that were used here since the last message. */
  private usedSince = new Set<string>();
  private changed = false;
  private round = 0;
  private sentAt = 0;
  private sending = false;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly statements: StatementPool,
    private readonly notifications: Notifications,
    private readonly rooms: WaitingRooms,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onModuleInit(): void {
    this.notifications.on(CHANNEL, (text) => this.receive(parseJson(text) as Message));
    this.timer = setInterval(() => void this.send(), SENT_EVERY_MS).unref();
  }

  onApplicationShutdown(): void {
    clearInterval(this.timer);
  }

  /** Through every replica, at a profile or at one worker of it. Places that are held here count too. */
  inFlight(orgId: string, profileId: string, worker: string | null = null): number {
    const key = keyOf(orgId, profileId, worker);
    return this.running(key) + (this.held.get(key) ?? 0);
  }

  /** In this replica. */
  queued(orgId: string, profileId: string): number {
    return this.here.waiting.get(keyOf(orgId, profileId)) ?? 0;
  }

  /** Running and waiting requests of a profile, through every replica. */
  demand(orgId: string, profileId: string): { readonly running: number; readonly waiting: number } {
    const waiting = this.elsewhere.waiting.get(keyOf(orgId, profileId)) ?? 0;
    return { running: this.running(keyOf(orgId, profileId)), waiting: this.queued(orgId, profileId) + waiting };
  }

  private running(key: string): number {
    return (this.here.underWay.get(key) ?? 0) + (this.elsewhere.underWay.get(key) ?? 0);
  }

  /**
   * Since a profile last had a request in flight, through any replica that says so; `Infinity` if this one
   * knows of none.
   */
  unusedForMs(orgId: string, profileId: string, now: number): number {
    return now - (this.used.get(keyOf(orgId, profileId))?.at ?? -Infinity);
  }

  /**
   * Keeps a place from others of this replica while its request is not admitted. It is no demand for the
   * profile and no use of it: whoever is refused keeps no worker awake.
   */
  holds(orgId: string, profileId: string, worker: string | null): void {
    addTo(this.held, orgId, profileId, worker, 1);
  }

  /** A request leaves the place that was held for it, without a use of the profile. */
  letsGo(orgId: string, profileId: string, worker: string | null): void {
    addTo(this.held, orgId, profileId, worker, -1);
    this.rooms.get(orgId)?.lookAgain();
  }

  /** A request uses the place that was held for it. */
  began(orgId: string, profileId: string, worker: string | null): void {
    addTo(this.held, orgId, profileId, worker, -1);
    this.addUnderWay(orgId, profileId, worker, 1);
  }

  /** The place is offered to requests that wait, whoever had it. */
  ended(orgId: string, profileId: string, worker: string | null): void {
    this.addUnderWay(orgId, profileId, worker, -1);
    this.rooms.get(orgId)?.lookAgain();
  }

  waits(orgId: string, profileId: string): void {
    this.changed = true;
    add(this.here.waiting, keyOf(orgId, profileId), 1);
  }

  waitsNoMore(orgId: string, profileId: string): void {
    this.changed = true;
    add(this.here.waiting, keyOf(orgId, profileId), -1);
  }

  private addUnderWay(orgId: string, profileId: string, worker: string | null, by: number): void {
    this.changed = true;
    const key = keyOf(orgId, profileId);
    this.usedSince.add(key);
    this.used.set(key, { at: performance.now() });
    addTo(this.here.underWay, orgId, profileId, worker, by);
  }

  private async send(): Promise<void> {
    this.forgetSilent();
    const { underWay, waiting } = this.here;
    const repeats = underWay.size + waiting.size > 0 && performance.now() - this.sentAt >= REPEATED_EVERY_MS;
    if (this.sending || !(this.changed || repeats)) return;
    this.sending = true;
    this.changed = false;
    this.sentAt = performance.now();
    const used = this.usedSince;
    this.usedSince = new Set();
    try {
      for (const text of this.messages(used)) await sendLoads(this.statements, CHANNEL, text);
    } catch (error) {
      this.changed = true;
      for (const key of used) this.usedSince.add(key);
      this.logger.debug({ err: error }, 'requests in flight could not be sent to other replicas');
    } finally {
      this.sending = false;
    }
  }

  /**
   * At least one: the end of all requests is sent too. A profile whose requests all ended since the last
   * message is in it once, with none.
   */
  private messages(used: ReadonlySet<string>): string[] {
    const { replica } = this;
    const round = ++this.round;
    const texts: string[] = [];
    let counts: [string, number, number][] = [];
    let bytes = 0;
    const put = (last: boolean) => texts.push(JSON.stringify({ replica, round, last, counts } satisfies Message));
    const { underWay, waiting } = this.here;
    for (const key of new Set([...underWay.keys(), ...waiting.keys(), ...used])) {
      const entry: [string, number, number] = [key, underWay.get(key) ?? 0, waiting.get(key) ?? 0];
      const size = Buffer.byteLength(JSON.stringify(entry)) + 1;
      if (bytes + size > MAX_MESSAGE_BYTES - 200) {
        put(false);
        [counts, bytes] = [[], 0];
      }
      counts.push(entry);
      bytes += size;
    }
    put(true);
    return texts;
  }

  private receive({ replica, round, last, counts }: Message): void {
    if (replica === this.replica) return;
    const peer = this.peers.get(replica) ?? { receivedAt: 0, counts: noCounts(), round, coming: noCounts() };
    if (peer.round !== round) Object.assign(peer, { round, coming: noCounts() });
    peer.receivedAt = performance.now();
    for (const [key, underWay, waiting = 0] of counts) {
      if (isOfProfile(key)) this.used.set(key, { at: peer.receivedAt });
      if (underWay > 0) peer.coming.underWay.set(key, underWay);
      if (waiting > 0) peer.coming.waiting.set(key, waiting);
    }
    this.peers.set(replica, peer);
    if (!last) return;
    peer.counts = peer.coming;
    this.sum();
  }

  private forgetSilent(): void {
    const before = performance.now() - BELIEVED_MS;
    let forgotten = false;
    for (const [replica, { receivedAt }] of this.peers) {
      if (receivedAt < before) forgotten = this.peers.delete(replica);
    }
    if (forgotten) this.sum();
  }

  private sum(): void {
    const before = this.elsewhere.underWay;
    this.elsewhere = noCounts();
    const { underWay, waiting } = this.elsewhere;
    for (const { counts } of this.peers.values()) {
      for (const [key, count] of counts.underWay) add(underWay, key, count);
      for (const [key, count] of counts.waiting) add(waiting, key, count);
    }
    const freed = new Set<string>();
    for (const [key, count] of before) if ((underWay.get(key) ?? 0) < count) freed.add(orgOf(key));
    for (const orgId of freed) this.rooms.get(orgId)?.lookAgain();
  }
}

/** Of a profile, or of one of its workers. The id of a profile has any characters, so it is the last part. */
const keyOf = (orgId: string, profileId: string, worker: string | null = null): string =>
  `${orgId}\t${worker ?? ''}\t${profileId}`;

/** Not of one of its workers. */
const isOfProfile = (key: string): boolean => key[key.indexOf('\t') + 1] === '\t';

function add(counts: Map<string, number>, key: string, by: number): void {
  const count = (counts.get(key) ?? 0) + by;
  if (count === 0) counts.delete(key);
  else counts.set(key, count);
}

/** At a profile, and at the worker of it. */
function addTo(counts: Map<string, number>, orgId: string, profileId: string, worker: string | null, by: number): void {
  add(counts, keyOf(orgId, profileId), by);
  if (worker !== null) add(counts, keyOf(orgId, profileId, worker), by);
}

const orgOf = (key: string): string => key.slice(0, key.indexOf('\t'));
