import { takeCheckpoint } from './checkpoint-work';
import { restoreJob } from './restore-work';
import type { CheckpointAsked } from './slurm-requests';
import type { WorkContext } from './work-context';

/** Takes a checkpoint, and moves the job if a maintenance window asked for it. */
export async function checkpointAndMove(context: WorkContext, request: CheckpointAsked): Promise<void> {
  const move = await takeCheckpoint(context, request);
  if (!move) return;
  // In the place of the checkpoint, which is done: its result is part of the move.
  await context.journal.keep(move);
  await restoreJob(context, move);
}
