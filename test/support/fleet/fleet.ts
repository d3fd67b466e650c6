import { lastRestoreFailed } from './accounts';
import { Client, Unexpected, type Fault } from './client';
import type { FleetContext } from './context';
import { Controller } from './controller';
import { Journal } from './journal';
import { Nodes } from './nodes';
import { Operators } from './operators';
import { withDefaults, type FleetOptions, type FleetSettings } from './options';
import { Pace, Stopped, Tempo } from './pace';
import { ProfileController } from './profile-controller';
import { createProfiles, type Profile } from './profiles';
import { Promotions } from './promotions';
import { Shelf } from './shelf';

/** Interval between two checks whether the fleet is idle, in wall-clock time. */
const SETTLE_LOOK_MS = 50;
const HANG_UP_AFTER_MS = 5_000;
/** A fleet that is not at rest by then never will be. */
const SETTLED_WITHIN_MS = 150_000;

/**
 * A simulated cluster with nodes, controller, workers and operators. It uses the service through its HTTP API
 * only.
 */
export class Fleet {
  readonly journal = new Journal();
  /** Unexpected answers, and crashed actors. */
  readonly faults: Fault[] = [];
  readonly options: FleetOptions;
  readonly operator: Client;
  private readonly controller: Client;
  private readonly pace: Pace;
  private readonly unrest: Pace;
  private readonly running = new Set<Promise<void>>();
  private readonly controllers = new Map<string, ProfileController>();
  private parts: { context: FleetContext; nodes: Nodes; shelf: Shelf; promotions: Promotions } | undefined;
  profiles: readonly Profile[] = [];

  constructor(settings: FleetSettings) {
    this.options = withDefaults(settings);
    const tempo = this.options.slowsDown ? new Tempo() : undefined;
    this.pace = new Pace(this.options.speed, tempo);
    this.unrest = new Pace(this.options.speed, tempo);
    const { url, controllerToken, operatorToken } = this.options;
    const client = (role: string, token: string) => new Client(url, role, token, this.pace, this.journal, this.faults);
    this.operator = client('operator', operatorToken);
    this.controller = client('controller', controllerToken);
  }

  /** Creates whatever is missing, and starts the actors. */
  async start(): Promise<void> {
    const { options, journal, pace, unrest, operator, controller } = this;
    const { body: clusterId } = await operator.post<string>('/v1/cluster', { cluster_name: options.clusterName });
    const context = { options, journal, pace, unrest, controller, operator, clusterId };
    const nodes = new Nodes(context);
    const shelf = new Shelf(nodes);
    const promotions = new Promotions(context, nodes, shelf);
    this.parts = { context, nodes, shelf, promotions };
    await nodes.introduce();
    this.profiles = await createProfiles(operator, options);

    for (const profile of this.profiles)
      this.controllers.set(profile.id, new ProfileController(context, nodes, shelf, profile));
    const hearing = new Controller(context, this.controllers, promotions, (work) => this.spawn('promotions', work));
    this.spawn('controller', hearing.run());
    this.spawn('heartbeats', nodes.heartbeats());
    for (const [id, one] of this.controllers) this.spawn(`controller of ${id}`, one.run());
    for (const node of nodes.all) this.spawn(`node ${node.name}`, nodes.reboots(node));
    for (const profile of this.profiles)
      this.spawn(`operators of ${profile.id}`, new Operators(context, profile).run());
  }

  /** Runs for this long in wall-clock time; starts first if necessary. */
  async run({ seconds }: { seconds: number }): Promise<void> {
    if (!this.parts) await this.start();
    await this.pace.sleep(seconds * 1_000);
  }

  /** Stops new requests and reboots; returns when everything in progress has ended. */
  async settle(): Promise<void> {
    this.unrest.stop();
    const until = performance.now() + SETTLED_WITHIN_MS;
    for (;;) {
      const unrest = await this.unsettled();
      if (unrest.length === 0) return;
      if (performance.now() > until) throw new Error(`the fleet does not come to rest: ${unrest.join('; ')}`);
      await this.pace.sleep(SETTLE_LOOK_MS);
    }
  }

  /** Stops everything at once. */
  async stop(): Promise<void> {
    this.unrest.stop();
    this.pace.stop();
    // Aborted calls leave idle connections behind, so calls in progress may finish.
    const late = setTimeout(() => this.pace.hangUp(), HANG_UP_AFTER_MS);
    while (this.running.size > 0) await Promise.all(this.running);
    clearTimeout(late);
  }

  /** Whether the profile has a serving worker. */
  serves(profileId: string): boolean {
    return this.controllers.get(profileId)?.serving === true;
  }

  /**
   * Whether a checkpoint taken by this fleet can be restored: its bytes are there, and its last restore, if
   * any, did not fail within this hour. No fleet runs longer than that.
   */
  isRestorable(artifactId: string): boolean {
    return this.parts?.shelf.isWhole(artifactId) === true && !lastRestoreFailed(this.journal, artifactId);
  }

  /** What is still in progress. */
  private async unsettled(): Promise<string[]> {
    const moving = this.moving();
    if (moving.length > 0) return moving;
    const awaited = await this.awaited();
    return awaited.length > 0 ? awaited : this.moving();
  }

  private moving(): string[] {
    const { parts } = this;
    if (!parts) return [];
    return [
      ...(parts.promotions.idle ? [] : ['promotions']),
      ...parts.nodes.all.filter(({ up }) => !up).map(({ name }) => `node ${name} is down`),
      ...[...this.controllers].filter(([, { idle }]) => !idle).map(([id]) => `controller of ${id}`),
    ];
  }

  /** What the service waits for; its controller may not know of it. */
  private async awaited(): Promise<string[]> {
    const { operator } = this;
    type Intent = { intent_id: string; status: string };
    type Artifact = { artifact_id: string; metadata: { promotion?: { state: string } } };
    const intents = await operator.get<Intent[]>('/v1/inference/capacity-intents?limit=1000');
    const artifacts = await operator.get<Artifact[]>('/v1/inference/artifacts?limit=1000');
    const awaited = [
      ...intents.body.filter(({ status }) => status === 'Pending').map(({ intent_id: id }) => `intent ${id}`),
      ...artifacts.body
        .filter(({ metadata }) => metadata.promotion?.state === 'pending')
        .map(({ artifact_id: id }) => `promotion of artifact ${id}`),
    ];
    for (const { id } of this.profiles.filter(({ checkpoints }) => checkpoints)) {
      const path = `/v1/inference/profiles/${id}/checkpoint`;
      const { status, body } = await operator.get<{ status: string }>(path, { also: [404] });
      if (status === 200 && ['pending', 'running'].includes(body.status)) awaited.push(`checkpoint of profile ${id}`);
    }
    return awaited;
  }

  private spawn(actor: string, work: Promise<void>): void {
    const watched = work
      .catch((error: unknown) => {
        if (error instanceof Stopped || error instanceof Unexpected) return;
        const body = error instanceof Error ? (error.stack ?? error.message) : String(error);
        this.faults.push({ method: 'actor', path: actor, status: 0, body });
      })
      .finally(() => this.running.delete(watched));
    this.running.add(watched);
  }
}
