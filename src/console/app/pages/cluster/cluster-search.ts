import { oneOf, searchOf } from '../../parts/search';

export const clusterSearch = searchOf((raw) => ({ nodes: oneOf(['all', 'troubled'])(raw.nodes) }));
