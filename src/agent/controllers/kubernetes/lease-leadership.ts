import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { timestamp } from '../../clock';
import { AgentFailure } from '../../failures';
import { pause } from '../../service/retries';
import type { Leadership } from '../common/leadership';
import { ClusterClient } from './cluster/cluster-client';
import { isRefusal, mayPassLater } from './cluster/refusals';
import { LEASES, type Lease } from './cluster/resources';

/** As Kubernetes' own controllers have them. */
const LEASE_SECONDS = 15;
const RENEW_EVERY_MS = 5_000;
/** Shorter than the lease: this one stops before the next one begins. */
const RENEWED_WITHIN_MS = 10_000;
const LOOK_EVERY_MS = 2_000;
const RELEASED_WITHIN_MS = 2_000;

interface Tools {
  readonly client: ClusterClient;
  readonly say: (line: string) => void;
  readonly lookEveryMs?: number;
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

  async acquire(signal: AbortSignal): Promise<string> {
    const { lookEveryMs = LOOK_EVERY_MS, say } = this.tools;
    let seen = { version: '', sinceMs: performance.now() };
    let isAnnounced = false;
    for (; ; await pause(lookEveryMs, signal)) {
      signal.throwIfAborted();
      const known = await this.patiently((client) => client.get(LEASES, this.lease));
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
      const taken = await this.patiently((client) => this.take(client, known));
      if (taken === 'later') continue;
      return taken.metadata?.uid ?? '';
    }
  }

  async hold(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await pause(RENEW_EVERY_MS, signal);
      while (!signal.aborted) {
        if ((await this.patiently((client) => this.renew(client))) !== 'later') break;
        if (performance.now() - this.renewedAt > RENEWED_WITHIN_MS)
          throw lost('The API server did not renew the lease of this agent in time.');
        await pause(this.tools.lookEveryMs ?? LOOK_EVERY_MS / 2, signal);
      }
    }
  }

  async release(): Promise<void> {
    const { held } = this;
    if (!held?.spec) return;
    this.held = undefined;
    // The signal of the controller has ended by now.
    const client = new ClusterClient(this.tools.client.access, AbortSignal.timeout(RELEASED_WITHIN_MS));
    const spec = { ...held.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: microTime() };
    // The next one waits until it is over.
    await client.replace(LEASES, { ...held, spec }).catch(() => undefined);
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

  /** @returns `later` if the API server does not answer, or somebody else was faster */
  private async patiently<T>(step: (client: ClusterClient) => Promise<T>): Promise<T | 'later'> {
    try {
      return await step(this.tools.client);
    } catch (error) {
      if (mayPassLater(error) || isRefusal(error, 409)) return 'later';
      throw error;
    }
  }
}

const lost = (message: string): AgentFailure =>
  new AgentFailure({ cause: 'name_taken', message, remedy: 'Start it again: it waits for its turn.' });

/** Leases have microseconds. */
const microTime = (): string => timestamp().replace('Z', '000Z');
