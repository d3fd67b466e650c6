import { oneOf, searchOf, someText } from '../../parts/search';

export const STATES = ['failing', 'ready', 'starting', 'asleep'] as const;
export type State = (typeof STATES)[number];

export const profilesSearch = searchOf((raw) => ({
  state: oneOf(STATES)(raw.state),
  name: someText(raw.name),
}));

export type ProfilesSearch = ReturnType<typeof profilesSearch>;
