import type { Schemas } from '../../api/client';

export type Progress = Schemas['ProfileProgressView'];
type ReportedStep = Progress['steps'][number];

/** A step of a start, and how long it lasted until the next one. */
export interface StartStep {
  readonly kind: string;
  readonly words: string;
  readonly at: number;
  /** Milliseconds until the next step; undefined for the last one. */
  readonly lasts: number | undefined;
  readonly step: ReportedStep;
  readonly isFailure: boolean;
}

/** `phase.Ready` and `worker.warming` as people say them. */
const wordsOf = (kind: string): string => {
  const [who = '', what = ''] = kind.split('.');
  const spoken = what.replaceAll('_', ' ').toLowerCase();
  if (who === 'phase') return `reported ${what}`;
  if (who === 'checkpoint_request') return `requested checkpoint: ${spoken}`;
  return `${who} ${spoken}`;
};

/** In the order of occurrence. What came before the start is left out. */
export function startSteps({ steps }: Pick<Progress, 'steps'>): readonly StartStep[] {
  const own = steps.filter(({ elapsed_ms: at }) => at !== null && at >= 0);
  return own.map((step, place): StartStep => {
    const at = step.elapsed_ms ?? 0;
    const next = own[place + 1]?.elapsed_ms;
    return {
      kind: step.kind,
      words: wordsOf(step.kind),
      at,
      lasts: next == null ? undefined : next - at,
      step,
      isFailure: /failed$/i.test(step.kind),
    };
  });
}
