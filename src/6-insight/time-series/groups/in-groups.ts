import type { SeriesColumns } from '../columns/series-columns';
import type { MappedSeries } from '../rows/sample-mapping';
import { SERIES_OF_A_GROUP } from './sample-groups';

/** The columns that say whose series it is. The others say what was measured of it. */
const OWNER: readonly (keyof SeriesColumns)[] = [
  'node_name',
  'namespace',
  'pod_name',
  'pod_uid',
  'container',
  'partition',
  'state',
  'filesystem',
];
/** Disks and network interfaces, which come and go on a host. */
const DEVICE = 'device';

/** A place in one of the groups that are made together. */
export interface GroupPlace {
  /** From 0. */
  readonly group: number;
  /** From 0 to 63. */
  readonly place: number;
}

/**
 * Places for new series, in the order of their request. Only series of one owner share a group: they are
 * reported at the same time, and end together. A group with others would have rows with few of its series,
 * and who looks for an ended series would read the rows of those that go on.
 */
export function inGroups(series: readonly MappedSeries[]): GroupPlace[] {
  const open = new Map<string, GroupPlace>();
  let groups = 0;
  return series.map(({ family, columns, labels }) => {
    // GPUs that a pod holds are given and taken together; those of nobody are taken one by one.
    const gpu = columns.pod_name === undefined ? columns.gpu_uuid : undefined;
    const owner = JSON.stringify([family, gpu, labels[DEVICE], ...OWNER.map((column) => columns[column])]);
    const next = open.get(owner);
    const mine = next && next.place < SERIES_OF_A_GROUP ? next : { group: groups++, place: 0 };
    open.set(owner, { group: mine.group, place: mine.place + 1 });
    return mine;
  });
}
