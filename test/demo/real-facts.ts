import type { Done, Walk } from './real-walk';

/** The members of the service's answers that are shown. */
interface Fact {
  readonly operation_id: string;
  readonly name: string;
  readonly duration_ns: number;
  readonly pause_ns: number;
  readonly physical_bytes: number;
  readonly started_at_ms: number;
  readonly stages: readonly { readonly stage: string; readonly duration_ns: number }[];
  readonly restores: readonly { readonly operation_id: string }[];
}

/** What CRIU says of its dump: shown as one stage. */
const OF_DUMP = ['frozen', 'memdump', 'memwrite'];
const NS_PER_MS = 1e6;
const MS_PER_S = 1e3;
const BYTES_PER_KIB = 2 ** 10;

/** What the service recorded: each operation with its stages, what came of the checkpoint, what it saved. */
export async function factsOf(walk: Walk, { checkpointAction, startedAt }: Done): Promise<string> {
  const action = await walk.get<{ checkpoint_ids: string[] }>(`/v1/actions/${checkpointAction}`);
  const taken = await walk.get<Fact>(`/v1/operations/${action.checkpoint_ids[0]}`);
  const restores: Fact[] = [];
  // The newest is listed first.
  for (const { operation_id: id } of [...taken.restores].reverse())
    restores.push(await walk.get<Fact>(`/v1/operations/${id}`));

  const size = `${Math.round(taken.physical_bytes / BYTES_PER_KIB)} KiB`;
  const savedMs = restores.reduce((sum) => sum + taken.started_at_ms - Date.parse(startedAt), 0);
  return [
    ...reported(
      'checkpoint',
      `${inMs(taken.duration_ns)}, ${size}; the process stood still for ${inMs(taken.pause_ns)}`,
      taken,
    ),
    ...restores.flatMap((restore) => reported('restore', `${inMs(restore.duration_ns)}, as ${restore.name}`, restore)),
    line('chain', `checkpoint of ${taken.name} ─▶ restored as ${restores.map(({ name }) => name).join(' and as ')}`),
    line(
      'saved',
      `${(savedMs / MS_PER_S).toFixed(1)} s of counting that ${restores.length} restored processes did not repeat`,
    ),
  ].join('\n');
}

const line = (what: string, text: string): string => `  ${what.padEnd(12)}${text}`;

const reported = (what: string, text: string, fact: Fact): string[] => [line(what, text), line('', stagesOf(fact))];

const inMs = (ns: number): string => `${Math.round(ns / NS_PER_MS)} ms`;

/** Stages in order. The host agent and the supervisor both report how long they waited. */
function stagesOf({ stages }: Fact): string {
  const sums = new Map<string, number>();
  for (const { stage, duration_ns: ns } of stages) {
    const shown = OF_DUMP.includes(stage) ? 'dump' : stage;
    sums.set(shown, (sums.get(shown) ?? 0) + ns);
  }
  const named = [...sums].filter(([, ns]) => ns >= NS_PER_MS / 2).map(([stage, ns]) => `${stage} ${inMs(ns)}`);
  return named.join(', ');
}
