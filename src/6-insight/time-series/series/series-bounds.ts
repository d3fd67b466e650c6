import type { MappedPod, MappedSeries } from '../rows/sample-mapping';
import type { SeriesName } from '../protocols/received-samples';

const MAX_LABELS = 64;
const MAX_LABEL_NAME = 256;
const MAX_LABEL_VALUE = 2_048;
/** Of a label that rows are found by: as long as a name in Kubernetes, and no longer than an index entry. */
const MAX_IDENTIFIER = 253;

/** PostgreSQL's texts cannot contain U+0000 and half a surrogate pair. */
const fits = (text: string, max: number): boolean => text.length <= max && !text.includes('\0') && text.isWellFormed();

/** Whether a series of this name can be stored. */
export const storable = ({ name, labels }: SeriesName): boolean =>
  fits(name, MAX_LABEL_NAME) &&
  labels.size <= MAX_LABELS &&
  [...labels].every(([label, value]) => fits(label, MAX_LABEL_NAME) && fits(value, MAX_LABEL_VALUE));

/** Whether it can be found again. */
export function findable(mapped: MappedSeries | MappedPod): boolean {
  const { pod_uid, namespace, pod_name } = mapped.as === 'pod' ? mapped.pod : mapped.columns;
  const gpu_uuid = mapped.as === 'series' ? mapped.columns.gpu_uuid : undefined;
  return [gpu_uuid, pod_uid, namespace, pod_name].every((found = '') => found.length <= MAX_IDENTIFIER);
}
