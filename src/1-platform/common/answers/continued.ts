/**
 * The answer of a change that goes on once it is committed: what another service is asked for cannot be part
 * of a transaction. Whoever runs the transaction of the change goes on with it afterwards.
 */
export class Continued<View> {
  /**
   * @param soFar the answer where nothing more is known: what
   * is given again should the process end in between
   * @param goOn outside any transaction. Fails only where the change came to nothing
   */
  constructor(
    readonly soFar: View,
    readonly goOn: () => Promise<View>,
  ) {}
}
