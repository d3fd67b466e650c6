import { AgentFailure, failureOf } from '../../../failures';
import { isTransient } from '../../../service/problems';
import type { Manifest } from '../../../store/manifest';
import { isHung } from '../../../supervisor/standstill';
import type { ProfileTools } from './profile-tools';
import type { WorkerRecord } from './worker-record';
import type { Profile, WorkerSpec } from './worker-spec';

export interface CheckpointWish {
  readonly profile: Profile;
  readonly spec: WorkerSpec;
  readonly worker: WorkerRecord;
  /** UUID of the checkpoint: a repeated one gives the same checkpoint. */
  readonly id: string;
}

type Tools = Pick<ProfileTools, 'runs' | 'reports' | 'artifacts' | 'context'>;

/**
 * Takes a checkpoint of a worker and registers it as an artifact. After a crash it finds what it has done.
 * @returns the id of the artifact. Throws `AgentFailure`
 */
export async function takeCheckpoint(tools: Tools, wish: CheckpointWish, leaveRunning: boolean): Promise<string> {
  const { runs, reports, artifacts } = tools;
  const { spec, worker, id } = wish;
  const kind = spec.store ?? artifacts.stores.usual;
  return orFailed(tools, wish, async () => {
    let manifest = await artifacts.stores.find(kind, id);
    if (!manifest) {
      reports.event({ ...eventOf(wish), kind: 'checkpoint.started', payload: { checkpoint_id: id } });
      const error: unknown = await runs.checkpoint(worker, { id, leaveRunning }).catch((reason: unknown) => reason);
      if (isHung(error)) throw error;
      // Whoever took it may have ended with the worker, before it answered.
      manifest = await artifacts.stores.find(kind, id);
      if (error !== undefined && !manifest) throw new AgentFailure(failureOf(error));
    }
    return register(tools, wish, manifest);
  });
}

/** Registers what an earlier controller has had stored before the end of a worker. */
export async function registerLast(tools: Tools, wish: CheckpointWish): Promise<void> {
  const { stores } = tools.artifacts;
  const kind = wish.spec.store ?? stores.usual;
  await orFailed(tools, wish, async () => register(tools, wish, await stores.find(kind, wish.id)));
}

async function register(tools: Tools, wish: CheckpointWish, manifest: Manifest | undefined): Promise<string> {
  const { reports, artifacts, context } = tools;
  const { profile, spec, worker, id } = wish;
  if (!manifest)
    throw new AgentFailure({ cause: 'checkpoint_missing', message: `The store does not have the checkpoint ${id}.` });
  const artifactId = await artifacts.register(profile, spec, manifest, worker);
  const payload = { checkpoint_id: id, uri: manifest.reference };
  reports.event({ ...eventOf(wish), kind: 'checkpoint.completed', artifactId, payload });
  context.say(`Profile ${profile.profile_id}: checkpoint of the worker ${worker.name}, ${manifest.reference}`);
  return artifactId;
}

async function orFailed<T>({ reports, context }: Tools, wish: CheckpointWish, step: () => Promise<T>): Promise<T> {
  try {
    return await step();
  } catch (error) {
    context.signal.throwIfAborted();
    // It is stored: only the service has to learn of it.
    if (isTransient(error)) throw error;
    const { cause, message } = failureOf(error);
    const payload = { checkpoint_id: wish.id, cause, message };
    reports.event({ ...eventOf(wish), kind: 'checkpoint.failed', payload });
    throw error;
  }
}

const eventOf = ({ worker: { uid, generation }, id }: CheckpointWish) => ({ uid, generation, subject: id });
