/** Events of a route; the aggregate is its logical model. */
export const ROUTE_EVENTS = { published: 'route.published' } as const;
