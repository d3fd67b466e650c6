/** Members of an object of which some may be missing. */
export type Told<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Without those that are undefined: what is shown, or kept, then has no member of that name. */
export const toldMembers = <T extends object>(members: T): Told<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Told<T>;
