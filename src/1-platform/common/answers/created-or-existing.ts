/** What an operation that creates answers where the row was there already: 200 instead of 201. */
export class Existing<View> {
  constructor(readonly view: View) {}
}

/** @param created false where the row was there already */
export const createdOr = <View>(view: View, created: boolean): View | Existing<View> =>
  created ? view : new Existing(view);

/** What a caller sees of what a handler gave. */
export function shownIn(response: { status(code: number): unknown }, result: unknown): unknown {
  if (!(result instanceof Existing)) return result;
  response.status(200);
  return result.view;
}
