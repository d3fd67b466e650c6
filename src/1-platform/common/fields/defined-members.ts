/** Members of an object, some of which may be missing. */
export type Defined<T> = { [Name in keyof T]?: Exclude<T[Name], undefined> };

/** Drops undefined members, so that they appear neither in replies nor in stored objects. */
export const definedMembers = <T extends object>(members: T): Defined<T> =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Defined<T>;
