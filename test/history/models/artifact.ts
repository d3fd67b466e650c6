import { machine, type Moves } from './machine';

/** What an admin may do: marks and reports on the bytes. Only a deleted artifact stays as it is. */
const KEPT = { ready: 'ready', golden: 'golden', quarantined: 'quarantined', expired: 'expired' };
const MOVES: Moves = {
  ready: { ...KEPT, delete: 'deleted' },
  // Deleting it needs force.
  golden: KEPT,
  quarantined: { ...KEPT, delete: 'deleted' },
  expired: { ...KEPT, delete: 'deleted' },
  deleted: { delete: 'deleted' },
};

export const ARTIFACT = machine('ready', MOVES);
