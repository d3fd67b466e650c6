import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { timestamp } from '../../clock';
import { AgentFailure } from '../../failures';
import { pause } from '../../service/retries';
import type { Leadership, Term } from '../common/leadership';
import type { Access } from './cluster/access';
import { ClusterClient } from './cluster/cluster-client';
import { ApiUnreachable, isRefusal, mayPassLater } from './cluster/refusals';
import { LEASES, type Lease } from './cluster/resources';

/** As Kubernetes' own controllers have them. */
const LEASE_SECONDS = 15;
const RENEW_EVERY_MS = 3_000;
/** Of one request: a connection that is dead leaves time for another one. */
const ANSWERED_WITHIN_MS = 2_500;
/** Shorter than the lease: this one stops before the next one begins. */
const RENEWED_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 2_000;
const RELEASED_WITHIN_MS = 2_000;

interface Tools {
  readonly access: Access;
  readonly say: (line: string) => void;
  readonly lookEveryMs?: number;
  readonly renewedWithinMs?: number;
}

/**
 * One controller at a time holds a Lease. If it ends, it gives the Lease back; if it is killed, the next one
 * takes the Lease when it has not changed for its whole time, by the clock of this machine.
 */
export class LeaseLeadership implements Leadership {
  private readonly identity = `${hostname()}_${randomUUID()}`;
  private held: Lease | undefined;
  private renewedAt = 0;

  /** @param lease its namespace and its name */
  constructor(
    private readonly tools: Tools,
    private readonly lease: { readonly namespace: string; readonly name: string },
  ) {}

  async acquire(signal: AbortSignal): Promise<Term> {
    const client = this.clientUntil(signal);
    const { lookEveryMs = LOOK_EVERY_MS, say } = this.tools;
    let seen = { version: '', sinceMs: performance.now() };
    let isAnnounced = false;
    for (; ; await pause(lookEveryMs, signal)) {
      signal.throwIfAborted();
      const known = await patiently(() => client.get(LEASES, this.lease));
      if (known === 'later') continue;
      const version = known?.metadata?.resourceVersion ?? '';
      if (seen.version !== version) seen = { version, sinceMs: performance.now() };
      const holder = known?.spec?.holderIdentity ?? '';
      const isOver = performance.now() - seen.sinceMs >= (known?.spec?.leaseDurationSeconds ?? 0) * 1_000;
      if (known && holder !== '' && !isOver) {
        if (!isAnnounced) say(`Another agent (${holder}) acts for the cluster. This one waits for its turn.`);
        isAnnounced = true;
        continue;
      }
      const taken = await patiently(() => this.take(client, known));
      if (taken === 'later') continue;
      return { common: taken.metadata?.uid ?? '', number: taken.spec?.leaseTransitions ?? 0 };
    }
  }

  async hold(signal: AbortSignal): Promise<void> {
    const late = new AbortController();
    const overdue = Promise.withResolvers<never>();
    let timer: NodeJS.Timeout;
    // Beside the renewals, which may wait for an answer.
    const watch = (): void => {
      const leftMs = this.heldUntil - performance.now();
      if (leftMs > 0) timer = setTimeout(watch, leftMs);
      else overdue.reject(lost('The API server did not renew the lease of this agent in time.'));
    };
    watch();
    try {
      await Promise.race([this.renewals(AbortSignal.any([signal, late.signal])), overdue.promise]);
    } finally {
      clearTimeout(timer!);
      late.abort(new Error('The lease is no longer held.'));
    }
  }

  /**
   * Throws `ApiUnreachable` if another one may act by now, although this process does not know it: it was
   * stopped for a while, or is too busy to notice.
   */
  readonly requireHeld = (): void => {
    if (performance.now() > this.heldUntil)
      throw new ApiUnreachable('Nothing was changed: the lease of this agent was not renewed in time.');
  };

  async release(): Promise<void> {
    const { held } = this;
    if (!held?.spec) return;
    this.held = undefined;
    // The signal of the controller has ended by now.
    const client = this.clientUntil(AbortSignal.timeout(RELEASED_WITHIN_MS));
    const spec = { ...held.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime() };
    // The next one waits until it is over.
    await client.replace(LEASES, { ...held, spec }).catch(() => undefined);
  }

  /** By `performance.now()`. */
  private get heldUntil(): number {
    return this.renewedAt + (this.tools.renewedWithinMs ?? RENEWED_WITHIN_MS);
  }

  private async renewals(signal: AbortSignal): Promise<void> {
    const client = this.clientUntil(signal);
    for (;;) {
      await pause(RENEW_EVERY_MS, signal);
      while (!signal.aborted && (await patiently(() => this.renew(client))) === 'later')
        await pause(this.tools.lookEveryMs ?? LOOK_EVERY_MS / 2, signal);
      if (signal.aborted) return;
    }
  }

  private clientUntil(signal: AbortSignal): ClusterClient {
    return new ClusterClient(this.tools.access, signal, { deadlineMs: ANSWERED_WITHIN_MS, busyAttempts: 1 });
  }

  private async take(client: ClusterClient, known: Lease | undefined): Promise<Lease> {
    const now = microTime();
    const spec = {
      ...known?.spec,
      holderIdentity: this.identity,
      leaseDurationSeconds: LEASE_SECONDS,
      acquireTime: now,
      renewTime: now,
      leaseTransitions: (known?.spec?.leaseTransitions ?? -1) + 1,
    };
    const began = performance.now();
    const taken = known
      ? await client.replace(LEASES, { ...known, spec })
      : await client.create(LEASES, { metadata: { ...this.lease }, spec } satisfies Lease);
    [this.held, this.renewedAt] = [taken, began];
    return taken;
  }

  private async renew(client: ClusterClient): Promise<void> {
    const began = performance.now();
    const known = await client.get(LEASES, this.lease);
    if (known?.spec?.holderIdentity !== this.identity) throw lost('Another agent has taken the lease of this one.');
    this.held = await client.replace(LEASES, { ...known, spec: { ...known.spec, renewTime: microTime() } });
    this.renewedAt = began;
  }
}

/** @returns `later` if the API server does not answer, or somebody else was faster */
async function patiently<T>(step: () => Promise<T>): Promise<T | 'later'> {
  try {
    return await step();
  } catch (error) {
    if (mayPassLater(error) || isRefusal(error, 409)) return 'later';
    throw error;
  }
}

const lost = (message: string): AgentFailure =>
  new AgentFailure({ cause: 'name_taken', message, remedy: 'Start it again: it waits for its turn.' });

/** Leases have microseconds. */
const microTime = (): string => timestamp().replace('Z', '000Z');
