import type { FleetContext } from './context';
import type { StartPlan } from './decisions';
import type { Nodes, SimulatedNode } from './nodes';
import type { Shelf } from './shelf';
import type { Voice } from './voice';
import { Worker, type Source } from './worker';

/** The steps of a start, with each step's share of the duration. */
const COLD = [
  ['Scheduling', 0.02],
  ['Pulling', 0.2],
  ['Loading', 0.6],
  ['Warming', 0.18],
] as const;
const RESTORED = [
  ['Scheduling', 0.1],
  ['Pulling', 0.2],
  ['Restoring', 0.5],
  ['Warming', 0.2],
] as const;
type Phase = (typeof COLD)[number][0] | (typeof RESTORED)[number][0];

const KIND = {
  Scheduling: 'worker.scheduled',
  Pulling: 'worker.pulling',
  Restoring: 'worker.restoring',
  Loading: 'worker.loading',
  Warming: 'worker.warming',
} as const satisfies Record<Phase, string>;

/** Why a worker fails at a step. */
const FAULTS: Readonly<Record<Phase, string>> = {
  Scheduling: 'no node has a free GPU',
  Pulling: 'the image cannot be pulled: the registry does not answer',
  Restoring: 'the restore ended with exit code 1',
  Loading: 'CUDA is out of memory while the weights are loaded',
  Warming: 'the first request was not answered in time',
};

/** The worker failed at this step. */
export class StartFailed extends Error {}

/** Lets simulated time pass. Throws if the worker is lost or no longer wanted. */
export type Pass = (worker: Worker, milliseconds: number) => Promise<void>;

interface Candidate {
  restorable: boolean;
  artifact: { artifact_id: string; uri: string; residency: { node_name: string | null; boot_tied: boolean } };
}

/** The start of a worker. */
export class Starts {
  constructor(
    private readonly context: FleetContext,
    private readonly nodes: Nodes,
    private readonly shelf: Shelf,
    private readonly voice: Voice,
    /** Null if workers of the profile are not checkpointed. */
    private readonly checkpoints: boolean,
  ) {}

  /** Chooses a node and a checkpoint, and creates the pod. @returns undefined while no node is up */
  async place(
    plan: StartPlan,
    onLost: () => void,
  ): Promise<{ worker: Worker; source: Source | undefined } | undefined> {
    const best = plan.follows ? await this.best(null) : undefined;
    const preferred = best ? this.nodes.named(best.artifact.residency.node_name) : undefined;
    const node = preferred?.up ? preferred : this.nodes.choose(plan.node);
    if (!node) return undefined;
    const candidate = await this.best(node);
    const source = candidate && { artifactId: candidate.artifact.artifact_id, uri: candidate.artifact.uri };
    if (!node.up) return undefined;
    const worker = new Worker(this.voice.profileId, node, this.voice.seen, plan.podNames ? source : undefined, onLost);
    this.voice.did('pod made', { pod: worker.podUid, node: node.name, from: source?.artifactId ?? null });
    return { worker, source };
  }

  /** @throws StartFailed; whatever `pass` throws */
  async climb(worker: Worker, source: Source | undefined, plan: StartPlan, pass: Pass): Promise<void> {
    const { coldMs, restoreMs } = this.context.options;
    if (plan.order !== 'event first') await this.voice.report('Pending');
    await this.nodes.sync([worker.pod('Pending')]);
    const steps = source ? RESTORED : COLD;
    const takesMs = (source ? restoreMs : coldMs) * plan.slowness;
    for (const [index, [phase, share]] of steps.entries()) {
      await this.enter(phase, worker, source, plan);
      if (index === 0) await this.nodes.sync([worker.pod('Running')]);
      // The checkpoint that the pod names is known as soon as an event ties the pod to a start.
      if (index === 0 && source && plan.podNames) this.point(worker, source);
      await pass(worker, takesMs * share);
      if (plan.failsAt === index + 1) throw new StartFailed(FAULTS[phase]);
      if (phase === 'Restoring' && source && !(await this.restored(worker, source, plan)))
        await this.load(worker, plan, pass);
    }
    await this.serve(worker, plan);
    worker.basis = source?.artifactId ?? null;
  }

  private async best(node: SimulatedNode | null): Promise<Candidate | undefined> {
    if (!this.checkpoints) return undefined;
    const body = { profile_id: this.voice.profileId, node_name: node?.name ?? null };
    const answer = await this.context.controller.post<Candidate[]>('/v1/inference/artifacts/lookup', body);
    return answer.body.find(({ restorable }) => restorable);
  }

  /** @returns false if it fails */
  private async restored(worker: Worker, { artifactId }: Source, plan: StartPlan): Promise<boolean> {
    // The service may have answered just before the data was deleted; data of an earlier fleet is assumed to
    // exist.
    const there = this.shelf.get(artifactId) === undefined || this.shelf.isWhole(artifactId);
    if (there && !plan.fallsBack) {
      await this.voice.event('restore.completed', worker, { artifactId });
      return true;
    }
    await this.voice.event('restore.failed', worker, { artifactId, payload: { reason: there ? 'refused' : 'gone' } });
    this.voice.did('fell back', { pod: worker.podUid, artifact: artifactId, gone: !there });
    return false;
  }

  private async load(worker: Worker, plan: StartPlan, pass: Pass): Promise<void> {
    await this.enter('Loading', worker, undefined, plan);
    await pass(worker, this.context.options.coldMs * plan.slowness * COLD[2][1]);
  }

  private async enter(phase: Phase, worker: Worker, source: Source | undefined, plan: StartPlan): Promise<void> {
    await this.send(
      plan,
      () => this.event(phase, worker, source),
      () => this.voice.report(phase),
    );
    if (phase === 'Warming') await this.voice.event('model.weights_ready', worker);
  }

  private async event(phase: Phase, worker: Worker, source: Source | undefined): Promise<void> {
    if (phase !== 'Restoring' || !source) return this.voice.event(KIND[phase], worker);
    const restored = { payload: { restore_checkpoint_path: source.uri }, artifactId: source.artifactId };
    await this.voice.event('worker.restoring', worker, restored);
    this.point(worker, source);
    await this.voice.event('restore.started', worker, restored);
  }

  private async serve(worker: Worker, plan: StartPlan): Promise<void> {
    worker.serve();
    await this.nodes.sync([worker.pod('Running')]);
    const { endpoint, name } = worker;
    await this.send(
      plan,
      () => this.voice.event('model.ready', worker),
      () => this.voice.report('Ready', { ready: true, endpoint }),
    );
    const path = `/v1/inference/profiles/${this.voice.profileId}/worker-endpoint`;
    await this.context.controller.put(path, { metrics_url: `${endpoint}/metrics`, pod_name: name });
    this.voice.did('serves', { pod: worker.podUid });
  }

  private point({ podUid }: Worker, { artifactId }: Source): void {
    this.voice.did('pointed', { pod: podUid, artifact: artifactId });
  }

  private async send({ order }: StartPlan, event: () => Promise<void>, report: () => Promise<void>): Promise<void> {
    if (order === 'together') await Promise.all([event(), report()]);
    else if (order === 'event first') await event().then(report);
    else await report().then(event);
  }
}
