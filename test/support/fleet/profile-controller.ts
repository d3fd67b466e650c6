import { Checkpoints, type OpenRequest } from './checkpoints';
import { Unexpected } from './client';
import type { FleetContext } from './context';
import { Dice, startPlan } from './decisions';
import type { Nodes } from './nodes';
import { Latch } from './pace';
import type { Profile } from './profiles';
import type { Shelf } from './shelf';
import { StartFailed, Starts, type Pass } from './starts';
import { Voice } from './voice';
import type { Worker } from './worker';

interface Intent {
  readonly profile_id: string;
  readonly desired_state: 'Active' | 'Suspended';
  readonly desired_replicas: number;
  readonly status: string;
  readonly generation: number;
}

/** The node of a worker has disappeared. */
class Lost extends Error {}
/** The desired state has changed meanwhile. */
class Unwanted extends Error {}

type Outcome = 'ready' | 'failed' | 'lost' | 'unwanted' | 'nowhere';

/** A lost wake-up is replaced after this long, in wall-clock time. */
const LOOK_EVERY_MS = 5_000;
const AFTER_FAULT_MS = 500;
const NODE_LOOK_MS = 5_000;

/** Moves one profile to its desired state step by step, always starting from the service's current answer. */
export class ProfileController {
  private readonly latch = new Latch();
  private readonly voice: Voice;
  private readonly starts: Starts;
  private readonly checkpoints: Checkpoints;
  private readonly dice: Dice;
  private intent: Intent | undefined;
  private worker: Worker | undefined;
  private restMs = 0;
  private waiting = false;

  constructor(
    private readonly context: FleetContext,
    private readonly nodes: Nodes,
    shelf: Shelf,
    private readonly profile: Profile,
  ) {
    this.voice = new Voice(context, profile.id);
    this.starts = new Starts(context, nodes, shelf, this.voice, profile.checkpoints);
    this.checkpoints = new Checkpoints(context, profile, shelf, this.voice);
    this.dice = new Dice(context.options.seed, `starts of ${profile.id}`);
  }

  /** Whether there was nothing to do when it last looked, and nothing has woken it since. */
  get idle(): boolean {
    return this.waiting && !this.latch.set;
  }
  get serving(): boolean {
    return this.worker?.ready === true && !this.worker.lost;
  }

  wake(): void {
    this.latch.wake();
  }

  async run(): Promise<never> {
    for (;;) {
      try {
        while (await this.step());
      } catch (error) {
        this.waiting = false;
        if (!(error instanceof Unexpected)) throw error;
        // A worker that was half-way up has no owner now.
        if (this.worker?.ready === false) this.worker = void this.worker.leave();
        await this.context.pace.sleep(AFTER_FAULT_MS);
        continue;
      }
      this.waiting = true;
      await this.context.pace.sleep(LOOK_EVERY_MS, this.latch);
      if (this.latch.take()) this.waiting = false;
    }
  }

  /** @returns whether there was something to do */
  private async step(): Promise<boolean> {
    const action = await this.next();
    if (!action) return false;
    // Only now: a look that finds nothing, which takes long on a busy machine, does not end the rest.
    this.waiting = false;
    return action();
  }

  private async next(): Promise<(() => Promise<boolean>) | undefined> {
    const { worker, voice } = this;
    if (worker?.lost) return () => this.bury(worker);
    await this.look();
    if (worker && !this.running) return () => this.suspend(worker);
    if (!worker && this.mayStart) return () => this.start();
    if (!worker && !this.running && voice.phase !== 'Suspended') return () => this.say(voice.report('Suspended'));
    if (voice.seen > voice.reported) return () => this.say(voice.repeat());
    const request = this.profile.checkpoints ? await this.checkpoints.open() : undefined;
    return request && (() => this.serve(request));
  }

  /** Reads the desired state. */
  private async look(): Promise<void> {
    const { body } = await this.context.controller.get<Intent[]>('/v1/inference/capacity-intents?limit=1000');
    this.intent = body.find(({ profile_id: id }) => id === this.profile.id);
    if (!this.intent) return;
    this.voice.seen = this.intent.generation;
    this.voice.wanted = this.intent.desired_state;
  }

  private get running(): boolean {
    return this.intent?.desired_state === 'Active' && this.intent.desired_replicas > 0;
  }

  /** A failed or expired request is repeated while it is still wanted; a lost worker is replaced. */
  private get mayStart(): boolean {
    return this.running && (this.intent?.status === 'Pending' || this.intent?.status === 'Fulfilled');
  }

  private async start(): Promise<true> {
    await this.context.pace.wait(this.restMs);
    this.restMs = 0;
    await this.look();
    if (this.mayStart && (await this.bringUp()) === 'nowhere') await this.context.pace.wait(NODE_LOOK_MS);
    return true;
  }

  private async bringUp(): Promise<Outcome> {
    const plan = startPlan(this.dice, this.context.options);
    this.context.journal.decided(`starts of ${this.profile.id}`, 'start', { ...plan });
    const placed = await this.starts.place(plan, () => this.wake());
    if (!placed) return 'nowhere';
    const { worker, source } = placed;
    this.worker = worker;
    try {
      await this.starts.climb(worker, source, plan, this.pass);
      return 'ready';
    } catch (error) {
      if (error instanceof Lost) return 'lost';
      if (error instanceof Unwanted) return (await this.takeDown(worker)) ? 'unwanted' : 'lost';
      if (!(error instanceof StartFailed)) throw error;
      await this.fail(worker, error.message, plan.cleansUp);
      this.restMs = plan.restMs;
      return 'failed';
    }
  }

  /** During a start: stops at once if the worker is lost or no longer wanted. */
  private readonly pass: Pass = async (worker, milliseconds) => {
    const until = performance.now() + milliseconds / this.context.pace.speed;
    for (let left = milliseconds / this.context.pace.speed; left > 0; left = until - performance.now()) {
      await this.context.pace.sleep(left, this.latch);
      if (worker.lost) throw new Lost();
      if (!this.latch.take()) continue;
      await this.look();
      if (!this.running) throw new Unwanted();
    }
    if (worker.lost) throw new Lost();
  };

  /** Like `pass`, for work that is finished whatever is wanted. */
  private readonly endure: Pass = async (worker, milliseconds) => {
    const until = performance.now() + milliseconds / this.context.pace.speed;
    let woken = false;
    for (
      let left = milliseconds / this.context.pace.speed;
      left > 0 && !worker.lost;
      left = until - performance.now()
    ) {
      await this.context.pace.sleep(left, this.latch);
      woken = this.latch.take() || woken;
    }
    if (woken) this.wake();
    if (worker.lost) throw new Lost();
  };

  private async fail(worker: Worker, reason: string, cleansUp: boolean): Promise<void> {
    this.worker = undefined;
    worker.leave();
    await this.nodes.sync([worker.pod('Failed')]);
    await this.voice.event('worker.failed', worker, { payload: { reason } });
    await this.voice.report('Failed', { message: reason });
    if (cleansUp) await this.voice.event('worker.stopped', worker);
  }

  private async bury(worker: Worker): Promise<true> {
    await this.fail(worker, `the node ${worker.node.name} was lost`, true);
    return true;
  }

  private async suspend(worker: Worker): Promise<true> {
    await this.takeDown(worker);
    return true;
  }

  /** @returns false if it was lost meanwhile */
  private async takeDown(worker: Worker): Promise<boolean> {
    if (worker.ready) {
      await this.voice.event('worker.draining', worker);
      await this.voice.report('Draining');
      try {
        await this.endure(worker, this.context.options.drainMs);
      } catch (error) {
        if (error instanceof Lost) return false;
        throw error;
      }
    }
    this.worker = undefined;
    worker.leave();
    await this.voice.event('worker.stopped', worker);
    await this.nodes.sync([worker.pod('Succeeded')]);
    return true;
  }

  private async say(word: Promise<void>): Promise<true> {
    await word;
    return true;
  }

  private async serve(request: OpenRequest): Promise<true> {
    await this.checkpoints.begin(request);
    const { worker } = this;
    if (!worker?.ready) await this.checkpoints.fail(request, 'no worker is ready');
    else if (request.kind === 'restart') await this.restart(request, worker);
    else {
      const taken = await this.checkpoints.take(worker, (milliseconds) => this.endure(worker, milliseconds));
      await this.checkpoints.end(request, taken);
    }
    return true;
  }

  private async restart(request: OpenRequest, worker: Worker): Promise<void> {
    const outcome = (await this.takeDown(worker)) ? await this.bringUp() : 'lost';
    if (outcome === 'ready') await this.checkpoints.end(request, { artifactId: this.worker?.basis ?? null });
    else await this.checkpoints.fail(request, `the new worker is ${outcome}`);
    if (outcome === 'nowhere') await this.voice.report('Failed');
  }
}
