export const PROFILE_EVENTS = { created: 'profile.created' } as const;
