/** What determines the order of the targets: their priority, or the tier that a classifier picks. */
export const ROUTE_MODES = ['priority', 'classifier'] as const;
export type RouteMode = (typeof ROUTE_MODES)[number];
