/**
 * A change whose input is validated and mapped. Both may take long and run in slices, so they come before the
 * transaction of the change.
 */
export class Prepared<View> {
  /** @param run makes the change. It may be called again after a rollback */
  constructor(readonly run: () => View | Promise<View>) {}
}
