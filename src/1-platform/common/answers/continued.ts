/**
 * The answer of a change that continues after its commit, because calls to other services cannot be part of a
 * transaction. The code that runs the transaction continues it afterwards.
 */
export class Continued<View> {
  /**
   * @param soFar the answer while nothing more is known; repeated requests get it if the process ends in
   * between
   * @param goOn runs outside of any transaction, and fails only if the change had no effect
   */
  constructor(
    readonly soFar: View,
    readonly goOn: () => Promise<View>,
  ) {}
}
