import { createHash } from 'node:crypto';
import { UUID } from '../uuid';
import type { Manifest } from './manifest';
import { takenAtMs } from './newer';

/** Whose checkpoints these are. */
export interface WorkloadName {
  readonly namespace: string;
  readonly name: string;
}

/**
 * What the name of a mark says. Who can write to the store can write marks: a manifest that differs decides,
 * once it is read. A wrong mark can keep it from being read, as somebody who removes the checkpoint can.
 */
export interface Mark {
  readonly id: string;
  readonly workload: string;
  readonly takenAtMs: number;
}

const ID_LENGTH = 36;
const HASH_LENGTH = 32;
const MARK = /^([0-9a-f-]{36})\.([0-9a-f]{32})\.(\d{1,16})$/;

const hashOf = ({ namespace, name }: WorkloadName): string =>
  createHash('sha256')
    .update(JSON.stringify([namespace, name]))
    .digest('hex')
    .slice(0, HASH_LENGTH);

export const isOf = ({ workload }: Mark, of: WorkloadName): boolean => workload === hashOf(of);

/**
 * The name of an empty file that says of which workload a checkpoint is, and which is newer. So that nobody
 * has to read all manifests for that, a list of such names is enough.
 */
export const markOf = (manifest: Manifest): string =>
  `${manifest.id}.${hashOf(manifest.workload)}.${Math.max(0, Math.trunc(takenAtMs(manifest)))}`;

/** @returns undefined if it is no name of a mark */
export function markIn(name: string): Mark | undefined {
  const [, id, workload, ms] = MARK.exec(name) ?? [];
  if (id === undefined || workload === undefined || !UUID.test(id)) return undefined;
  return { id, workload, takenAtMs: Number(ms) };
}

/** Whether a mark says what the manifest says. */
export function isRight({ workload, takenAtMs: ms }: Mark, manifest: Manifest): boolean {
  const right = markIn(markOf(manifest));
  return right !== undefined && right.workload === workload && right.takenAtMs === ms;
}

/** Marks of a checkpoint are in order behind its id. */
export const idOfMark = (name: string): string => name.slice(0, ID_LENGTH);
