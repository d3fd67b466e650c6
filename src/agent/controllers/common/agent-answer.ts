import { AgentFailure, type FailureFacts } from '../../failures';
import type { OnProgress, Progress } from '../../stages';

interface Document {
  readonly progress?: Progress;
  readonly failure?: FailureFacts;
}

const MAX_CHARACTERS = 8 * 1024 * 1024;

/** What `ccp-agent checkpoint`, or `status`, prints elsewhere with --json: documents, one a line. */
export class AgentAnswer<T> {
  private last: (Document & T) | undefined;
  private characters = 0;

  constructor(
    private readonly command: 'checkpoint' | 'status',
    private readonly onProgress: OnProgress = () => {},
  ) {}

  /** Lines of other programs are passed over. @returns false if it is longer than any answer */
  take(line: string): boolean {
    this.characters += line.length;
    const document = documentIn<T>(line);
    if (document?.progress) this.onProgress(document.progress);
    else this.last = document ?? this.last;
    return this.characters <= MAX_CHARACTERS;
  }

  /** Throws the `AgentFailure` that it reports. @returns undefined if nothing was answered */
  get(): T | undefined {
    const { last, command } = this;
    // A status has the member as well: the failure of its workload, which is none of the question.
    const isStatus = last !== undefined && 'phase' in last;
    if (last?.failure && !isStatus) throw new AgentFailure(last.failure);
    return command === 'status' && !isStatus ? undefined : last;
  }
}

function documentIn<T>(line: string): (Document & T) | undefined {
  try {
    const document: unknown = JSON.parse(line);
    return typeof document === 'object' && document !== null ? (document as Document & T) : undefined;
  } catch {
    return undefined;
  }
}
