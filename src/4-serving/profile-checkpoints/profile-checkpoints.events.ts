export const REQUEST_EVENTS = { created: 'checkpoint_request.created' } as const;
