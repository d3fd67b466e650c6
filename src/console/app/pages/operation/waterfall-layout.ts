import type { Schemas } from '../../api/client';

export type Stage = Schemas['OperationStageView'];

/** A stage on the axis, in nanoseconds. */
export interface Bar {
  readonly seq: number;
  readonly name: string;
  readonly start: number;
  readonly length: number;
  readonly stage: Stage;
}

export interface Waterfall {
  /** Whether the stages follow each other: then they fit into the whole. Otherwise all bars begin at zero. */
  readonly isSequence: boolean;
  readonly bars: readonly Bar[];
  /** Stages within others, of which only some are known to begin where those begin. */
  readonly inner: readonly Bar[];
  /** The length of the axis. */
  readonly whole: number;
  /** What no stage accounts for; 0 if the stages overlap. */
  readonly unaccounted: number;
}

/** Stages of CRIU's statistics that happen within others, by the source of the stages. */
const WITHIN: Readonly<Record<string, readonly string[]>> = {
  // CRIU writes memory while everything is frozen.
  criu: ['memdump', 'memwrite'],
  // The agent's own stages account for the time; those of CRIU happen somewhere in them.
  'profile+criu': ['frozen', 'memdump', 'memwrite', 'restore'],
};

/**
 * A stage has a position and a duration, but no start. So stages are laid end to end, in their order, and
 * what is left of the operation follows as unaccounted. If they are longer than the whole, they ran side by
 * side.
 * @param wholeNs the whole operation, or what has passed of it
 * @param source of the stages, as the operation says it
 */
export function layOut(stages: readonly Stage[], wholeNs: number, source = ''): Waterfall {
  const within = WITHIN[source] ?? [];
  const ordered = [...stages].sort((a, b) => a.seq - b.seq);
  // Behind all others. Between them, they are the node's own, and have what those within them do not have.
  const last = ordered.findLastIndex(({ stage }) => !within.includes(stage));
  const isWithin = (place: number): boolean => place > last && within.length > 0;
  const outer = ordered.filter((_, place) => !isWithin(place));
  const sum = outer.reduce((total, { duration_ns: ns }) => total + ns, 0);
  const isSequence = sum <= wholeNs;
  let start = 0;
  const bars = outer.map((stage): Bar => {
    const bar = barOf(stage, start);
    if (isSequence) start += stage.duration_ns;
    return bar;
  });
  const frozen = bars.find(({ name }) => name === 'frozen')?.start ?? 0;
  const inner = ordered
    .filter(({ duration_ns: ns }, place) => isWithin(place) && ns > 0)
    .map((stage) => barOf(stage, frozen));
  const longest = Math.max(0, ...[...bars, ...inner].map((bar) => bar.start + bar.length));
  return { isSequence, bars, inner, whole: Math.max(wholeNs, longest), unaccounted: isSequence ? wholeNs - sum : 0 };
}

const barOf = (stage: Stage, start: number): Bar => ({
  seq: stage.seq,
  name: stage.stage,
  start,
  length: stage.duration_ns,
  stage,
});

export const isFailed = ({ result }: Pick<Stage, 'result'>): boolean => /^(fail|error)/i.test(result);
