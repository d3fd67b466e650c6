/** A fleet was created, changed or deleted; read it again (404 if deleted). */
export const FLEET_EVENTS = { changed: 'fleet.changed' } as const;
