/** Events of actions in the outbox; each payload names `action_id`, `checkpoint_id` and `cluster_id`. */
export const ACTION_EVENTS = {
  /** A node is to take a checkpoint. */
  checkpointRequested: 'action.checkpoint_requested',
  /** A node is to restore `checkpoint_id`. */
  restoreRequested: 'action.restore_requested',
} as const;
