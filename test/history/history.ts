/**
 * One request to one object, as its client saw it. Times are those of `performance.now` of the process that
 * all clients share.
 */
export interface Call<Input = unknown, Output = unknown> {
  readonly client: number;
  /** Such as `intent p-17`: the model, and which one. */
  readonly object: string;
  readonly operation: string;
  readonly input: Input;
  readonly invokedAt: number;
  /** `Infinity` if no answer came: it may take effect at any time, or never. */
  readonly returnedAt: number;
  /** Undefined if no answer came. */
  readonly output: Output | undefined;
}

/** What clients asked and received. */
export class History {
  readonly calls: Call[] = [];

  /**
   * Records a request. @param ask answers undefined if the outcome is unknown: the connection ended, or the
   * service failed
   * @returns what it answers
   */
  async record<Output>(
    what: Pick<Call, 'client' | 'object' | 'operation' | 'input'>,
    ask: () => Promise<Output | undefined>,
  ): Promise<Output | undefined> {
    const invokedAt = performance.now();
    const output = await ask();
    const returnedAt = output === undefined ? Infinity : performance.now();
    this.calls.push({ ...what, invokedAt, returnedAt, output });
    return output;
  }

  /** The calls of each object. */
  byObject(): Map<string, Call[]> {
    return Map.groupBy(this.calls, ({ object }) => object);
  }

  get unknown(): number {
    return this.calls.filter(({ output }) => output === undefined).length;
  }
}
