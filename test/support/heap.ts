import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Start } from './start';

/** For a process whose heap is to be read: Node's debugger, on a free port. */
export const WITH_DEBUGGER = { NODE_OPTIONS: '--inspect=127.0.0.1:0' };

const ANSWERED_WITHIN_MS = 60_000;

const LISTENING = /Debugger listening on (ws:\/\/\S+)/;

/** What a process that was started `WITH_DEBUGGER` keeps in its heap. */
export class Heap {
  private asked = 0;

  private constructor(private readonly debug: WebSocket) {}

  static async of({ errors }: Start): Promise<Heap> {
    const address = LISTENING.exec(errors)?.[1];
    if (address === undefined) throw new Error('the process has no debugger');
    const debug = new WebSocket(address);
    await once(debug, 'open');
    return new Heap(debug);
  }

  /** @returns what is left after a forced collection, in MiB */
  async keptMib(): Promise<number> {
    await this.ask('HeapProfiler.collectGarbage');
    const { usedSize } = await this.ask<{ usedSize: number }>('Runtime.getHeapUsage');
    return usedSize / 2 ** 20;
  }

  close(): void {
    this.debug.close();
  }

  private async ask<Result>(method: string): Promise<Result> {
    const id = ++this.asked;
    const answered = new Promise<Result>((resolve, reject) => {
      const listen = ({ data }: MessageEvent): void => {
        const answer = JSON.parse(String(data)) as { id?: number; result?: Result; error?: { message: string } };
        if (answer.id !== id) return;
        this.debug.removeEventListener('message', listen);
        if (answer.result === undefined) reject(new Error(answer.error?.message ?? 'the debugger has no answer'));
        else resolve(answer.result);
      };
      this.debug.addEventListener('message', listen);
    });
    this.debug.send(JSON.stringify({ id, method }));
    const late = new AbortController();
    const tooLate = sleep(ANSWERED_WITHIN_MS, undefined, { signal: late.signal }).then((): never => {
      throw new Error(`the debugger did not answer ${method}`);
    });
    return Promise.race([answered, tooLate]).finally(() => late.abort());
  }
}
