/**
 * How the order in which targets are tried comes about: by their
 * priority, or by the tier that a classifier picks.
 */
export const ROUTE_MODES = ['priority', 'classifier'] as const;
export type RouteMode = (typeof ROUTE_MODES)[number];
