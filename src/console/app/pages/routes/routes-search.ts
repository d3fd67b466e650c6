import { searchOf, someText } from '../../parts/search';

export const routesSearch = searchOf((raw) => ({ name: someText(raw.name), state: someText(raw.state) }));

export type RoutesSearch = ReturnType<typeof routesSearch>;
