import { Client, Unexpected, type Fault } from './client';
import type { FleetContext } from './context';
import { Controller } from './controller';
import { Journal } from './journal';
import { Nodes } from './nodes';
import { Operators } from './operators';
import { withDefaults, type FleetOptions, type FleetSettings } from './options';
import { Pace, Stopped } from './pace';
import { ProfileController } from './profile-controller';
import { createProfiles, type Profile } from './profiles';
import { Promotions } from './promotions';
import { Shelf } from './shelf';

/** Interval between two checks whether the fleet is idle, in wall-clock time. */
const SETTLE_LOOK_MS = 50;
const HANG_UP_AFTER_MS = 5_000;

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
    this.pace = new Pace(this.options.speed);
    this.unrest = new Pace(this.options.speed);
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
    while (!(await this.settled())) await this.pace.sleep(SETTLE_LOOK_MS);
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

  /** Whether a checkpoint taken by this fleet can be restored. */
  isRestorable(artifactId: string): boolean {
    return this.parts?.shelf.isWhole(artifactId) === true;
  }

  private async settled(): Promise<boolean> {
    const { parts } = this;
    if (!parts) return true;
    const atRest = () =>
      parts.promotions.idle &&
      parts.nodes.all.every(({ up }) => up) &&
      [...this.controllers.values()].every(({ idle }) => idle);
    return atRest() && !(await this.awaited()) && atRest();
  }

  /** Whether the service still waits for something that its controller may not know of. */
  private async awaited(): Promise<boolean> {
    const { operator } = this;
    type Intent = { status: string };
    type Artifact = { metadata: { promotion?: { state: string } } };
    const intents = await operator.get<Intent[]>('/v1/inference/capacity-intents?limit=1000');
    if (intents.body.some(({ status }) => status === 'Pending')) return true;
    const artifacts = await operator.get<Artifact[]>('/v1/inference/artifacts?limit=1000');
    if (artifacts.body.some(({ metadata }) => metadata.promotion?.state === 'pending')) return true;
    for (const { id } of this.profiles.filter(({ checkpoints }) => checkpoints)) {
      const path = `/v1/inference/profiles/${id}/checkpoint`;
      const { status, body } = await operator.get<{ status: string }>(path, { also: [404] });
      if (status === 200 && ['pending', 'running'].includes(body.status)) return true;
    }
    return false;
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
