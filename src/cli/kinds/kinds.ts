import { CHECKPOINTING } from './checkpointing';
import { CLOUD } from './cloud';
import { INVENTORY } from './inventory';
import type { Kind } from './kind';
import { PLATFORM } from './platform';
import { POLICIES } from './policies';
import { SERVING } from './serving';
import { SLURM } from './slurm';
import { TRAFFIC } from './traffic';

/** All that `get` and `describe` know, in the order of their help. */
export const KINDS: readonly Kind<unknown>[] = [
  ...INVENTORY,
  ...SLURM,
  ...CHECKPOINTING,
  ...POLICIES,
  ...SERVING,
  ...TRAFFIC,
  ...CLOUD,
  ...PLATFORM,
];

export function kindNamed(name: string): Kind<unknown> {
  const found = KINDS.find((kind) => kind.name === name);
  if (!found) throw new Error(`There is no kind ${name}.`);
  return found;
}
