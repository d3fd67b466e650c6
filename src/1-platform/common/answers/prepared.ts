/**
 * A change whose input is validated and mapped, or for which others were asked. Both may take long, the first
 * in slices, so they come before the transaction of the change.
 */
export class Prepared<View> {
  /** @param run makes the change. It may be called again after a rollback */
  constructor(readonly run: () => View | Promise<View>) {}
}
