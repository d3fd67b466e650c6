import type { Schemas } from '../../../api/client';
import type { MaintenanceWindow } from '../slurm-queries';

/** A maintenance window as people fill it in. */
export interface WindowDraft {
  /** Local times as the browser's field has them: `2027-01-10T20:00`. */
  readonly start: string;
  readonly end: string;
  readonly reason: string;
  readonly nodes: readonly string[];
  readonly partitions: readonly string[];
  readonly isCancelled: boolean;
}

export const NEW_WINDOW: WindowDraft = {
  start: '',
  end: '',
  reason: '',
  nodes: [],
  partitions: [],
  isCancelled: false,
};

const two = (value: number): string => String(value).padStart(2, '0');

/** The field has minutes. @param time ISO 8601 */
export function localTime(time: string | null): string {
  if (time === null) return '';
  const at = new Date(time);
  const date = `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}`;
  return `${date}T${two(at.getHours())}:${two(at.getMinutes())}`;
}

export const draftOf = (window: MaintenanceWindow): WindowDraft => ({
  start: localTime(window.start_time),
  end: localTime(window.end_time),
  reason: window.reason ?? '',
  nodes: window.nodes ?? [],
  partitions: window.partitions ?? [],
  isCancelled: window.status === 'cancelled',
});

export const isWindow = ({ start, end }: WindowDraft): boolean => Date.parse(end) > Date.parse(start);

/** What is still to be filled in; undefined: nothing. */
export function missingIn(draft: WindowDraft): string | undefined {
  if (draft.start === '' || draft.end === '') return 'Say when it begins and ends.';
  if (!isWindow(draft)) return 'It must end after it begins.';
  return draft.reason.trim() === '' ? 'Give a reason, so that people know what it is for.' : undefined;
}

export const createBody = ({ start, end, reason, nodes, partitions }: WindowDraft): Schemas['CreateWindowBody'] => ({
  start_time: new Date(start).toISOString(),
  end_time: new Date(end).toISOString(),
  reason: reason.trim(),
  nodes: [...nodes],
  partitions: [...partitions],
});

const isSame = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((one, place) => one === b[place]);

/** Only what differs: the seconds of a time that nobody touched stay. */
export function changesOf(window: MaintenanceWindow, draft: WindowDraft): Schemas['UpdateWindowBody'] {
  const before = draftOf(window);
  const all = createBody(draft);
  return {
    ...(draft.start !== before.start && { start_time: all.start_time }),
    ...(draft.end !== before.end && { end_time: all.end_time }),
    ...(all.reason !== before.reason && { reason: all.reason }),
    ...(!isSame(draft.nodes, before.nodes) && { nodes: all.nodes }),
    ...(!isSame(draft.partitions, before.partitions) && { partitions: all.partitions }),
    // Any status other than cancelled and ended means that it takes place; its times say when.
    ...(draft.isCancelled !== before.isCancelled && { status: draft.isCancelled ? 'cancelled' : 'scheduled' }),
  };
}
