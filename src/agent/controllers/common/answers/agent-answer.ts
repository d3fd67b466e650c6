import { AgentFailure, failureIn } from '../../../failures';
import type { OnProgress } from '../../../stages';
import type { CheckpointResult, WorkloadStatus } from '../../../supervisor/control/control-protocol';
import { checkpointResultIn, objectIn, progressIn, workloadStatusIn } from './answer-documents';

const MAX_CHARACTERS = 8 * 1024 * 1024;

/** What a line was: `progress` shows that the command goes on. */
export type LineKind = 'progress' | 'other' | 'too long';

/**
 * What `ccp-agent checkpoint`, or `status`, prints elsewhere with --json: documents, one a line. The workload
 * may have written them, so only valid members are used.
 */
export class AgentAnswer<T extends CheckpointResult | WorkloadStatus> {
  private last: Readonly<Record<string, unknown>> | undefined;
  private characters = 0;

  constructor(
    private readonly command: 'checkpoint' | 'status',
    private readonly onProgress: OnProgress = () => {},
  ) {}

  /** Lines of other programs are passed over. @returns `too long` if it is longer than any answer */
  take(line: string): LineKind {
    this.characters += line.length;
    if (this.characters > MAX_CHARACTERS) return 'too long';
    const document = documentIn(line);
    const progress = progressIn(document?.progress);
    if (progress) this.onProgress(progress);
    else if (document?.progress === undefined) this.last = document ?? this.last;
    return progress ? 'progress' : 'other';
  }

  /**
   * Throws the `AgentFailure` that it reports, or `incompatible` if the answer lacks something.
   * @returns undefined if nothing was answered
   */
  get(): T | undefined {
    const { last, command } = this;
    if (last === undefined) return undefined;
    // A status has the member as well: there it is the failure of the workload, not of the command.
    const isStatus = 'phase' in last;
    if (!isStatus && last.failure) throw new AgentFailure(failureIn(last.failure) ?? UNKNOWN);
    if (command === 'status' && !isStatus) return undefined;
    const answer = command === 'status' ? workloadStatusIn(last) : checkpointResultIn(last);
    if (answer) return answer as T;
    throw new AgentFailure({
      cause: 'incompatible',
      message: `What \`ccp-agent ${command}\` printed there is no answer to it.`,
      remedy: 'Use the same version of the agent there as here.',
    });
  }
}

const UNKNOWN = { cause: 'unclassified', message: 'It failed there, and did not say why.' } as const;

function documentIn(line: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return objectIn(JSON.parse(line));
  } catch {
    return undefined;
  }
}
