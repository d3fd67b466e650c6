/** The answer of a creating operation if the row already existed: 200 instead of 201. */
export class Existing<View> {
  constructor(readonly view: View) {}
}

/** @param created false if the row already existed */
export const createdOr = <View>(view: View, created: boolean): View | Existing<View> =>
  created ? view : new Existing(view);

/** The part of a handler's result that the caller gets. */
export function shownIn(response: { status(code: number): unknown }, result: unknown): unknown {
  if (!(result instanceof Existing)) return result;
  response.status(200);
  return result.view;
}
