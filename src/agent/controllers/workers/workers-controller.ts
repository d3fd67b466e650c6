import type { OutboxEvent } from '../../service/outbox-reader';
import type { MachineFacts } from '../../machine/machine-facts';
import { isProblem } from '../../service/problems';
import { pause } from '../../service/retries';
import type { components } from '../../service/schema';
import type { ClusterContext } from '../common/cluster-context';
import type { EventHandler, Loop } from '../common/control-cluster';
import { memberOf } from '../common/members';
import type { ArtifactStores } from './artifacts/artifact-stores';
import { ProfileArtifacts } from './artifacts/profile-artifacts';
import { ProfileWorkers, type Desired } from './profile/profile-workers';
import { isWorkerRecord, WorkerRecords, type WorkerRecord } from './profile/worker-record';
import { workerSpecOf, type WorkerSpec, type Profile } from './profile/worker-spec';
import { ProfileReports } from './reports/profile-reports';
import type { RunId, WorkerRuns } from './worker-runs';

type Intent = components['schemas']['CapacityIntentView'];

/** Whatever events say, the state of the service is read so often. */
const LOOK_EVERY_MS = 30_000;
/** In one of so many looks, also those profiles that sleep are asked about: events name what is requested. */
const IDLE_EVERY_LOOKS = 10;
const RETRY_MS = 1_000;
const ROWS = 1_000;
const MAX_PAGES = 100;
/** What one look may change, so events of these types wake it. */
const WAKING = /^(capacity_intent\.(requested|expired)|checkpoint_request\.created)$/;
const REQUESTED = 'checkpoint_request.created';

export interface WorkersSettings {
  readonly context: ClusterContext;
  readonly runs: WorkerRuns;
  readonly stores: ArtifactStores;
  /** On which all of them run; undefined: a batch system chooses. */
  readonly node: { readonly name: string; readonly uid: string; readonly bootId: string } | undefined;
  /** The machine of all of them, if it is one. */
  readonly machine?: (() => Promise<MachineFacts>) | undefined;
  /** The only profiles whose workers it runs; undefined: all. */
  readonly profiles?: ReadonlySet<string> | undefined;
  /** Smaller in tests only. */
  readonly lookEveryMs?: number;
}

interface Known {
  readonly profile: Profile;
  readonly spec: WorkerSpec;
}

/** Runs the workers of profiles, as the newest intent of each wants them. */
export class WorkersController implements EventHandler, Loop {
  /** Profiles never change; undefined: this agent does not run it. */
  private readonly known = new Map<string, Known | undefined>();
  private readonly managed = new Map<string, ProfileWorkers>();
  private readonly running = new Set<Promise<void>>();
  private readonly records: WorkerRecords;
  private readonly artifacts: ProfileArtifacts;
  private woken = new AbortController();
  /** Profiles for which somebody has requested a checkpoint or a restart. */
  private readonly requestedOf = new Set<string>();
  private fullLookAtMs = Number.NEGATIVE_INFINITY;
  /** Full ones. */
  private looks = 0;
  /** Workers that nobody has recorded and that were asked to end. */
  private readonly strangers = new Set<string>();

  constructor(private readonly settings: WorkersSettings) {
    const { context, stores, node, machine } = settings;
    this.records = new WorkerRecords(context.directory);
    this.artifacts = new ProfileArtifacts(context, stores, node, machine);
  }

  private get lookEveryMs(): number {
    return this.settings.lookEveryMs ?? LOOK_EVERY_MS;
  }

  /** Nothing of an event has to be kept: it only says that there is something to read. */
  take(events: readonly OutboxEvent[]): Promise<void> {
    for (const { event_type: type, payload } of events) {
      if (!WAKING.test(type)) continue;
      if (type === REQUESTED) this.requestedOf.add(memberOf(payload, 'profile_id') ?? '');
      this.woken.abort();
    }
    return Promise.resolve();
  }

  resync(): Promise<void> {
    this.fullLookAtMs = Number.NEGATIVE_INFINITY;
    this.looks = 0;
    this.woken.abort();
    return Promise.resolve();
  }

  async run(): Promise<void> {
    const { signal, log, mayPass } = this.settings.context;
    let isAdopted = false;
    while (!signal.aborted) {
      this.woken = new AbortController();
      let waitMs: number;
      try {
        if (!isAdopted) await this.adopt();
        isAdopted = true;
        await this.look();
        waitMs = Math.max(0, this.fullLookAtMs + this.lookEveryMs - performance.now());
      } catch (error) {
        if (signal.aborted) break;
        log[mayPass(error) ? 'warn' : 'error']({ err: error }, 'the wanted workers were not read');
        waitMs = RETRY_MS;
      }
      await pause(waitMs, AbortSignal.any([signal, this.woken.signal]));
    }
    await Promise.all(this.running);
  }

  /** Takes over the workers of an earlier controller. */
  private async adopt(): Promise<void> {
    for (const record of await this.recorded()) {
      const known = await this.profile(record.profileId);
      if (known) this.manager(known).adopt(record);
      else await this.records.forget(record.uid);
    }
  }

  private async recorded(): Promise<WorkerRecord[]> {
    const own = await this.records.all();
    const known = new Set(own.map(({ uid }) => uid));
    const others = ((await this.settings.runs.records?.()) ?? []).filter(isWorkerRecord);
    const added = others.filter(({ uid }) => !known.has(uid));
    for (const record of added) await this.records.keep(record);
    return [...own, ...added];
  }

  private async look(): Promise<void> {
    const isFull = performance.now() - this.fullLookAtMs >= this.lookEveryMs;
    const requested = new Set(this.requestedOf);
    const intents = await this.intents();
    for (const intent of intents) {
      const { profile_id: id } = intent;
      const known = await this.profile(id);
      if (!known) continue;
      const one = this.manager(known);
      const isAskedAbout = isFull && (!one.isIdle || this.looks % IDLE_EVERY_LOOKS === 0);
      one.want(desiredOf(intent), isAskedAbout || requested.has(id));
    }
    for (const id of requested) this.requestedOf.delete(id);
    if (!isFull) return;
    const listed = new Set(intents.map(({ profile_id: id }) => id));
    for (const [id, one] of this.managed) {
      if (listed.has(id)) continue;
      // An intent that changes while the pages are read moves to the first one, and is in none of them.
      const intent = await this.intentOf(id);
      one.want(intent ? desiredOf(intent) : NOTHING, true);
    }
    await this.endStrangers();
    this.looks++;
    this.fullLookAtMs = performance.now();
  }

  /** Ends workers that nobody has recorded: their profile no longer belongs to this agent. */
  private async endStrangers(): Promise<void> {
    const { runs, context } = this.settings;
    const isKnown = (run: RunId) => [...this.managed.values()].some((one) => one.has(run));
    for (const run of await runs.list()) {
      if (isKnown(run)) continue;
      context.log.warn({ name: run.name, uid: run.uid }, 'a worker that no profile wants is ended');
      // It had the time between two looks.
      await runs.end(run, this.strangers.has(run.uid));
      this.strangers.add(run.uid);
    }
  }

  /** The newest intent of each profile. */
  private async intents(): Promise<Intent[]> {
    const found = new Map<string, Intent>();
    for (let page = 0; page < MAX_PAGES; page++) {
      const query = { limit: ROWS, offset: page * ROWS };
      const rows = await this.settings.context.service.send('list_capacity_intents', (api) =>
        api.GET('/v1/inference/capacity-intents', { params: { query } }),
      );
      for (const row of rows) found.set(row.profile_id, row);
      if (rows.length < ROWS) break;
    }
    return [...found.values()];
  }

  private async intentOf(profileId: string): Promise<Intent | undefined> {
    const query = { profile_id: profileId, limit: ROWS };
    const rows = await this.settings.context.service.send('list_capacity_intents', (api) =>
      api.GET('/v1/inference/capacity-intents', { params: { query } }),
    );
    // An older service lists others too.
    return rows.find((row) => row.profile_id === profileId);
  }

  /** @returns undefined if this agent does not run its workers */
  private async profile(id: string): Promise<Known | undefined> {
    if (this.known.has(id)) return this.known.get(id);
    const { profiles, context } = this.settings;
    let known: Known | undefined;
    if (profiles?.has(id) ?? true) {
      const path = { profile_id: id };
      try {
        const profile = await context.service.send('get_profile', (api) =>
          api.GET('/v1/inference/profiles/{profile_id}', { params: { path } }),
        );
        const spec = workerSpecOf(profile);
        known = spec && { profile, spec };
      } catch (error) {
        // A database that was restored from a backup knows less than it did.
        if (isProblem(error, 'profile_not_found')) return undefined;
        throw error;
      }
    }
    this.known.set(id, known);
    return known;
  }

  private manager({ profile, spec }: Known): ProfileWorkers {
    const { context, runs, node } = this.settings;
    const { profile_id: id } = profile;
    let manager = this.managed.get(id);
    if (manager) return manager;
    const { records, artifacts } = this;
    const bootId = node?.bootId || undefined;
    const reports = new ProfileReports(context, id, node);
    manager = new ProfileWorkers(profile, spec, { context, runs, records, artifacts, reports, bootId });
    this.managed.set(id, manager);
    const run: Promise<void> = manager.run().finally(() => this.running.delete(run));
    this.running.add(run);
    return manager;
  }
}

const NOTHING: Desired = { state: 'Suspended', replicas: 0, generation: 0, isExpired: false };

const desiredOf = ({ desired_state: state, desired_replicas: replicas, generation, status }: Intent): Desired => ({
  state: state === 'Active' ? 'Active' : 'Suspended',
  replicas,
  generation,
  isExpired: status === 'Expired',
});
