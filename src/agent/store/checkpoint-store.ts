import type { AgentFailure } from '../failures';
import type { OnProgress, Stage } from '../stages';
import type { WorkloadName } from './workload-marks';
import type { Manifest, ManifestFacts } from './manifest';

/**
 * Keeps checkpoints. A checkpoint exists once its manifest does, which is written last; what a killed agent
 * left without one is never offered, and is removed later. All methods throw `AgentFailure`: with the cause
 * `checkpoint_missing`, `checkpoint_damaged` or `store_failed`.
 *
 * A reference is the `restore_path` of a checkpoint. It names the store and the checkpoint:
 * - an absolute path, `/var/lib/ccp/store/checkpoints/<id>`: the checkpoint's folder in a directory
 * - `service:<id>`: files of the service's object storage
 */
export interface CheckpointStore {
  /** The place in which CRIU writes the images of a new checkpoint. */
  begin(id: string, wish?: DraftWish): Promise<Draft>;
  /**
   * The images of a checkpoint on this machine, each file equal to its hash in the manifest.
   * @param checkpoint its reference, or the manifest that this store has given
   */
  open(checkpoint: string | Manifest, onProgress?: OnProgress): Promise<OpenedCheckpoint>;
  manifest(reference: string): Promise<Manifest>;
  /** The ids of all that was begun and not removed, in order. It reads no manifest, so it is cheap. */
  ids(): AsyncIterable<string>;
  /** The manifest of one of these ids. */
  find(id: string): Promise<Found>;
  /**
   * Checkpoints whose manifest can be used, in the order of their ids. It reads every manifest.
   * @param passOver gets why one cannot be read; if none can be, that is thrown
   */
  list(passOver?: PassOver): AsyncIterable<Manifest>;
  /**
   * Those of one workload, newest first. It reads few others.
   * @param passOver as for `list`
   */
  newestFirst(workload: WorkloadName, passOver?: PassOver): AsyncIterable<Manifest>;
  /** The reference of a checkpoint here, whether or not there is one. */
  referenceOf(id: string): string;
  /** Whether a reference is of this store, also if there is nothing any more. */
  owns(reference: string): Promise<boolean>;
  /** Whether there is one of this reference, also if it cannot be restored here. */
  holds(reference: string): Promise<boolean>;
  /**
   * What tells this store from another one at its path, such as the bare directory under a mount that is not
   * there. @returns undefined if there is none
   */
  place(): Promise<string | undefined>;
  /** Removes a checkpoint, its manifest first. Does nothing if there is none. */
  remove(reference: string): Promise<void>;
  /**
   * Removes what killed agents left, once nobody can be working on it any more (`LEFTOVER_MS`).
   * @returns how many checkpoints and drafts
   */
  removeLeftovers(): Promise<number>;
}

/** What is known of a checkpoint before it is taken. */
export interface DraftWish {
  /** With a storage that fails; undefined: that of a workload that runs on. */
  readonly patience?: Patience | undefined;
  /** About so many bytes will be written. */
  readonly bytes?: number | undefined;
  /**
   * Who takes it, one draft at a time, as 16 hexadecimal digits. Others of the same owner were left when that
   * was killed, and are removed. undefined: not known.
   */
  readonly owner?: string | undefined;
}

/**
 * Whether to wait on for a storage that fails: the images are on this machine, and what was sent already may
 * be worth hours.
 * @param failingMs for how long nothing has succeeded
 */
export type Patience = (failingMs: number) => boolean;

/** With a workload that runs on meanwhile, so that nobody waits but for the checkpoint. */
export const RUNNING_PATIENCE_MS = 30 * 60_000;
/** With one that is stopped until its checkpoint is stored. */
export const STOPPED_PATIENCE_MS = 5 * 60_000;

/** Receives why a manifest cannot be read now: it may be the one that is looked for. */
export type PassOver = (failure: AgentFailure) => void;

/**
 * `missing`: there is no manifest, or not yet. `unusable`: it is damaged, of an unknown format, or signed by
 * somebody else.
 */
export type Found = Manifest | 'missing' | 'unusable';

/** Beyond this time without a change or a sign of life, whoever began it was killed. */
export const LEFTOVER_MS = 6 * 3_600_000;

/** A checkpoint that is being taken. */
export interface Draft {
  /** Absolute path. */
  readonly directory: string;
  /** The dump begins now: some of what `publish` does can be done meanwhile. */
  follow(): void;
  /** Hashes, stores and then publishes what the directory holds. @returns the manifest, with its reference */
  publish(facts: ManifestFacts, onProgress?: OnProgress): Promise<Manifest>;
  /** Once it is published: puts another manifest in the place of the first one. */
  amend(manifest: Manifest): Promise<void>;
  /** Once it is published: what makes its next restore here faster. It cannot fail. */
  remember(manifest: Manifest): Promise<void>;
  /** Removes it. It cannot fail: what stays is removed as what a killed agent left. */
  discard(): Promise<void>;
}

export interface OpenedCheckpoint {
  /** Absolute path. Read only: several restores may use it at once. */
  readonly directory: string;
  readonly manifest: Manifest;
  /** What opening it took: fetch, verify. */
  readonly stages: readonly Stage[];
  /** The caller no longer needs the directory. It cannot fail: a cache costs nobody a restored workload. */
  release(): Promise<void>;
}
