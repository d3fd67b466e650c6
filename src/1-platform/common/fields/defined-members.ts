/** Members of an object of which some may be missing. */
export type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Without those that are undefined: what is shown, or kept, then has no member of that name. */
export const definedMembers = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
