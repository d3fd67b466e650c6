/** What an operation that creates answers where the row was there already: 200 instead of 201. */
export class Existing<View> {
  constructor(readonly view: View) {}
}

/** @param created false where the row was there already */
export const createdOr = <View>(view: View, created: boolean): View | Existing<View> =>
  created ? view : new Existing(view);
