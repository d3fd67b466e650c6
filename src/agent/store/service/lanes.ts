/** A bounded number of tasks at once. After the first failure nothing new begins. */
export class Lanes {
  private readonly running = new Set<Promise<void>>();
  private failure: { error: unknown } | undefined;

  constructor(public limit: number) {}

  /** Begins a task once there is a lane. @throws the first failure */
  async add(work: () => Promise<void>): Promise<void> {
    while (this.running.size >= this.limit) await Promise.race(this.running);
    if (this.failure) return this.done();
    const task: Promise<void> = work()
      .catch((error: unknown) => void (this.failure ??= { error }))
      .finally(() => this.running.delete(task));
    this.running.add(task);
  }

  /** Waits until nothing runs. */
  async idle(): Promise<void> {
    await Promise.all(this.running);
  }

  /** @throws the first failure */
  async done(): Promise<void> {
    await this.idle();
    if (this.failure) throw this.failure.error;
  }

  /** Waits until nothing runs. @returns whether nothing has failed */
  async succeeds(): Promise<boolean> {
    await this.idle();
    return this.failure === undefined;
  }
}
