import type { FailureFacts } from '../../../failures';
import type { MachineFacts } from '../../../machine/machine-facts';
import type { Stage } from '../../../stages';
import type { CheckpointResult } from '../../../supervisor/control/control-protocol';

/** A tree of measurements as the service reads it: stages that follow one another. */
interface Profile {
  readonly name: 'checkpoint' | 'restore';
  readonly duration: number;
  readonly io: number;
  readonly components: readonly { name: string; duration: number; io: number }[];
}

const MAX_ERROR = 4_000;

/** @param before what passed before the first stage, such as waiting for a place */
export function profileOf(
  name: Profile['name'],
  stages: readonly Stage[],
  bytes: number,
  before?: { readonly name: string; readonly durationNs: number },
): Profile {
  const whole = (ns: number) => Math.max(0, Math.round(ns));
  const components = [
    ...(before && before.durationNs >= 1 ? [{ name: before.name, duration: whole(before.durationNs), io: 0 }] : []),
    ...stages
      .flatMap(inSequence)
      .map(({ name: stage, durationNs, bytes: io }) => ({ name: stage, duration: whole(durationNs), io: whole(io) })),
  ];
  return { name, duration: components.reduce((sum, { duration }) => sum + duration, 0), io: whole(bytes), components };
}

/**
 * A stage and its parts, one after the other: each has what those within it do not have. So all together take
 * as long as the stage.
 */
function inSequence({ name, durationNs, bytes, parts = [] }: Stage): readonly Part[] {
  let outer = durationNs;
  const nested = [{ name, durationNs, bytes }, ...parts].map((part) => {
    // Two programs measured them.
    outer = Math.min(part.durationNs, outer);
    return { ...part, durationNs: outer };
  });
  return nested.map((part, place) => ({ ...part, durationNs: part.durationNs - (nested[place + 1]?.durationNs ?? 0) }));
}

type Part = NonNullable<Stage['parts']>[number];

/**
 * The facts of a finished checkpoint. CRIU's figures have the form of `crit show stats-dump`, from which the
 * service reads the pause and the sizes.
 */
export function checkpointInfo(
  result: CheckpointResult,
  waitNs: number | undefined,
  machine: MachineFacts | undefined,
): object {
  const before = waitNs === undefined ? undefined : { name: 'wait', durationNs: waitNs };
  return {
    profile: profileOf('checkpoint', result.stages, result.bytes, before),
    criu: { magic: 'STATS', entries: [{ dump: result.criu }] },
    stored_bytes: result.bytes,
    ...(machine === undefined ? {} : { page_size: machine.pageSize, machine }),
  };
}

/** Why it failed, in one text: the cause first, by which the service groups failures. */
export const failureText = ({ cause, message, remedy }: FailureFacts): string =>
  `${cause}: ${message}${remedy === undefined ? '' : ` ${remedy}`}`.slice(0, MAX_ERROR);
