import type { Logger } from 'pino';
import type { Progress } from '../../../stages';
import type { ServiceClient } from '../../../service/client';

/** The service stores one report a second. */
const EVERY_MS = 1_000;
/** A report is a sign of life too, so the last one is repeated. */
const REPEAT_MS = 30_000;

interface Report {
  readonly stage: string;
  readonly bytes_done: number | null;
  readonly bytes_total: number | null;
}

/** Forwards the progress of one checkpoint: the newest, at most one a second, and one at a time. */
export class ProgressReports {
  private newest: Report;
  /** Whether `newest` waits to be sent. The first report need not be: the service assumes it. */
  private unsent = false;
  private sentAt = performance.now();
  private sending: Promise<void> | undefined;
  private readonly timer: NodeJS.Timeout;

  constructor(
    private readonly service: ServiceClient,
    private readonly checkpointId: string,
    private readonly log: Logger,
    first = 'wait',
  ) {
    this.newest = { stage: first, bytes_done: null, bytes_total: null };
    this.timer = setInterval(() => this.tick(), EVERY_MS);
  }

  note({ stage, bytesDone, bytesTotal }: Progress): void {
    const { stage: last, bytes_done: done, bytes_total: total } = this.newest;
    if (stage === last && bytesDone === (done ?? 0) && bytesTotal === total) return;
    this.newest = { stage, bytes_done: bytesDone, bytes_total: bytesTotal };
    this.unsent = true;
  }

  /** No report leaves after it. */
  async end(): Promise<void> {
    clearInterval(this.timer);
    await this.sending;
  }

  private tick(): void {
    const due = this.unsent || performance.now() - this.sentAt >= REPEAT_MS;
    if (!due || this.sending) return;
    this.unsent = false;
    this.sentAt = performance.now();
    this.sending = this.send(this.newest).finally(() => (this.sending = undefined));
  }

  private async send(body: Report): Promise<void> {
    try {
      const path = { id: this.checkpointId };
      await this.service.send('report_checkpoint_progress', (api) =>
        api.PUT('/v1/checkpoints/progress/{id}', { params: { path }, body }),
      );
    } catch (error) {
      // Its end is reported in any case; only people miss this.
      this.log.info({ err: error, checkpoint_id: this.checkpointId }, 'progress was not reported');
    }
  }
}
