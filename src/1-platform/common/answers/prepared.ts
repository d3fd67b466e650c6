/**
 * A change that is ready to be made: its input is judged and mapped. Both may take long, and are done in
 * slices, so they come before the transaction of the change is opened.
 */
export class Prepared<View> {
  /** @param run makes the change. It may be called again when its transaction was undone */
  constructor(readonly run: () => View | Promise<View>) {}
}
