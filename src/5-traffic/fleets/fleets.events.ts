/** Told of a fleet that was made, changed or deleted; who reads it again finds it, or 404. */
export const FLEET_EVENTS = { changed: 'fleet.changed' } as const;
