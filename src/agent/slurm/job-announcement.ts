import { failureOf, type FailureFacts } from '../failures';
import { pause } from '../service/retries';
import type { WorkloadStatus } from '../supervisor/control/control-protocol';
import type { JobEnvironment } from './job-identity';
import { runSlurm, SlurmUnavailable } from './slurm-commands';
import { commentOf, type WorkerMark, type WorkerWord } from './worker-mark';

const AGAIN_MS = 2_000;
/** At the end, the job does not wait longer for Slurm. */
const LAST_WORD_WITHIN_MS = 5_000;
/** Slurm keeps comments in memory. */
const MAX_MESSAGE = 600;

/**
 * Says in the Comment of its job how a worker is doing, and where it can be reached. The controller sees that
 * when it looks at its jobs, so it needs neither a directory that nodes share nor a step in each job.
 */
export class JobAnnouncement {
  private word: WorkerWord;
  private said = '';
  private saying = Promise.resolve();
  private isSaying = false;
  /** Nobody has to read twice that Slurm does not answer. */
  private isSilent = false;
  private readonly over = new AbortController();

  constructor(
    private readonly job: JobEnvironment,
    private readonly mark: Pick<WorkerMark, 'uid' | 'owner'>,
    private readonly say: (sentence: string) => void,
  ) {
    this.word = { phase: 'starting', cluster: job.cluster, host: null, port: null };
  }

  /** @param host where the node can be reached */
  place(host: string): void {
    this.change({ ...this.word, host });
  }

  /** @param status as a supervisor records it */
  announce({ phase, network, failure, exitCode }: WorkloadStatus): void {
    const port = network?.published?.port ?? null;
    if (phase === 'ended') return this.end(failure ?? endedWith(exitCode));
    this.change({
      ...this.word,
      port,
      phase: phase === 'running' || phase === 'checkpointing' ? 'running' : 'starting',
    });
  }

  /** It ended, or did not even start. The first cause counts. */
  end({ cause, message }: FailureFacts): void {
    if (this.word.phase === 'ended') return;
    const failure = { cause, message: message.slice(0, MAX_MESSAGE).toWellFormed() };
    this.change({ ...this.word, phase: 'ended', port: null, failure });
  }

  /** Resolves when the last word was said, or could not be. */
  async close(): Promise<void> {
    const late = new AbortController();
    await Promise.race([this.saying, pause(LAST_WORD_WITHIN_MS, late.signal)]);
    late.abort();
    this.over.abort();
  }

  private change(word: WorkerWord): void {
    this.word = word;
    if (this.isSaying) return;
    this.isSaying = true;
    this.saying = this.catchUp();
  }

  /** Until Slurm has it: nobody knows of the worker before. */
  private async catchUp(): Promise<void> {
    while (!this.over.signal.aborted) {
      const comment = commentOf({ ...this.mark, said: this.word });
      if (comment === this.said) break;
      try {
        await runSlurm('scontrol', ['update', `JobId=${this.job.jobId}`, `Comment=${comment}`]);
        this.said = comment;
        this.isSilent = false;
      } catch (error) {
        // A job that Slurm ends takes no more words, and Slurm itself knows why.
        if (this.word.phase === 'ended' && !(error instanceof SlurmUnavailable)) break;
        if (!this.isSilent)
          this.say(`The state of the worker was not written to the Comment of its job: ${failureOf(error).message}`);
        this.isSilent = true;
        await pause(AGAIN_MS, this.over.signal);
      }
    }
    this.isSaying = false;
  }
}

const endedWith = (exitCode: number | null): FailureFacts => ({
  cause: 'workload_ended',
  message: `It ended with the exit code ${exitCode}.`,
});
