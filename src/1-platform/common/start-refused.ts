/** Why the service cannot start, in one line for a person. */
export class StartRefused extends Error {}
