import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { jsonFilesIn, readJson, removeJson, writeJson } from '../../../files/json-file';
import { UUID } from '../../../uuid';
import type { WorkerNetwork } from '../worker-runs';

/** What a worker is restored from. */
export interface RestoreSource {
  readonly artifactId: string;
  readonly reference: string;
  /** It is a copy, and the original is elsewhere. */
  readonly isCopy?: true | undefined;
}

/** A worker that was started or is about to be. It is durable before anything starts. */
export interface WorkerRecord {
  readonly uid: string;
  readonly profileId: string;
  /** The lowest one that no other worker of the profile has. */
  readonly index: number;
  readonly name: string;
  readonly createdAt: string;
  /** Of the machine of all workers. Undefined: they have none in common, or an older agent recorded it. */
  readonly bootId?: string | undefined;
  /** Of the intent. */
  readonly generation: number;
  readonly network: WorkerNetwork;
  /** On which it listens. 0, in a network of its own: whoever starts it chooses one. */
  readonly port: number;
  /** undefined: it is started cold. */
  readonly from?: RestoreSource | undefined;
  /** An artifact that was refused when it was started cold: a restore of it had failed. */
  readonly instead?: string | undefined;
  /** Until when. Undefined: an older agent recorded it, and refused it for an hour from then on. */
  readonly refusedUntil?: string | undefined;
  /** How many restores of either artifact in a row ended with their machine, or with the controller. */
  readonly cuts?: number | undefined;
  /** Why it is started cold although there is an artifact. */
  readonly message?: string | undefined;
  /** The request for a restart of the profile during which it was started. */
  readonly restart?: string | undefined;
  /** The id of the checkpoint that is taken before it ends. */
  readonly lastCheckpoint?: string | undefined;
  /** A controller has ended it. It is no failure, also for a successor who finds that it has ended. */
  readonly isDismissed?: true | undefined;
  /** It has answered as ready. Its end is then no failure of what it was restored from, whoever finds it. */
  readonly wasReady?: true | undefined;
}

/** Whether it may be one: others may have written it. */
export function isWorkerRecord(value: unknown): value is WorkerRecord {
  if (typeof value !== 'object' || value === null) return false;
  const record = value as Partial<WorkerRecord>;
  const { uid, profileId, index, name, createdAt, bootId = '', generation, network, port } = record;
  const { from, instead = '', refusedUntil = '', cuts = 0 } = record;
  return (
    [uid, profileId, name, createdAt, bootId, instead, refusedUntil].every((text) => typeof text === 'string') &&
    [index, generation, port, cuts].every((number) => Number.isSafeInteger(number)) &&
    (network === 'host' || network === 'isolated') &&
    (from === undefined || [from.artifactId, from.reference].every((text) => typeof text === 'string')) &&
    UUID.test(uid!) &&
    name === workerName(profileId!, index!)
  );
}

const MAX_SLUG = 40;
const DIGEST = 10;

/** The name of a worker: a DNS label that says of which profile it is, whatever the profile's id contains. */
export function workerName(profileId: string, index: number): string {
  const slug = profileId
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|(?<!-)-+$/g, '')
    .slice(0, MAX_SLUG);
  const digest = createHash('sha256').update(profileId).digest('hex').slice(0, DIGEST);
  return `${slug === '' ? 'p' : slug}-${digest}-${index}`;
}

/** What changes while a worker lives. */
type Addable = 'lastCheckpoint' | 'isDismissed' | 'wasReady' | 'instead' | 'refusedUntil' | 'cuts';

/** The workers of one cluster, a file each. */
export class WorkerRecords {
  private readonly directory: string;
  /** What is being written, by uid: one after the other. */
  private readonly writes = new Map<string, Promise<void>>();

  /** @param directory of the cluster, in the state directory */
  constructor(directory: string) {
    this.directory = join(directory, 'workers');
  }

  async all(): Promise<WorkerRecord[]> {
    const found = await Promise.all((await jsonFilesIn(this.directory)).map((path) => readJson<WorkerRecord>(path)));
    return found.filter((one) => one !== undefined);
  }

  keep(record: WorkerRecord): Promise<void> {
    return this.inOrder(record.uid, (path) => writeJson(path, record));
  }

  /** Adds to a record, or takes away what is undefined. One that was forgotten stays so. */
  add(uid: string, members: Partial<Pick<WorkerRecord, Addable>>): Promise<void> {
    return this.inOrder(uid, async (path) => {
      const record = await readJson<WorkerRecord>(path);
      if (record) await writeJson(path, { ...record, ...members });
    });
  }

  forget(uid: string): Promise<void> {
    return this.inOrder(uid, removeJson);
  }

  private inOrder(uid: string, write: (path: string) => Promise<void>): Promise<void> {
    const step = () => write(this.pathOf(uid));
    const written = (this.writes.get(uid) ?? Promise.resolve()).then(step, step);
    this.writes.set(uid, written);
    const forget = () => void (this.writes.get(uid) === written && this.writes.delete(uid));
    written.then(forget, forget);
    return written;
  }

  private pathOf(uid: string): string {
    return join(this.directory, `${uid}.json`);
  }
}
