export const ARTIFACT_EVENTS = {
  promoteRequested: 'artifact.promote_requested',
  deleted: 'artifact.deleted',
  expired: 'artifact.expired',
} as const;
