/** An event as a consumer received it: the version of an aggregate rises by one with each event. */
export interface Delivery {
  /** From 1 on, without a gap. */
  readonly id: number;
  readonly aggregate: string;
  readonly version: number;
}

export const versionKey = (aggregate: string | number, version: number): string => `${aggregate}:${version}`;

/**
 * Gaps, repetitions and inversions in what one consumer received from the beginning.
 * @param acknowledged keys of versions that somebody was promised
 */
export function deliveryFaults(delivered: readonly Delivery[], acknowledged: Iterable<string>): string[] {
  const faults: string[] = [];
  const versions = new Map<string, number>();
  const keys = new Set<string>();
  delivered.forEach(({ id, aggregate, version }, place) => {
    if (id !== place + 1) faults.push(`event ${id} has the place ${place + 1}`);
    const before = versions.get(aggregate) ?? 0;
    if (version !== before + 1) faults.push(`aggregate ${aggregate}: ${version} came after ${before}`);
    versions.set(aggregate, version);
    keys.add(versionKey(aggregate, version));
  });
  const missing = [...acknowledged].filter((key) => !keys.has(key));
  if (missing.length > 0) faults.push(`${missing.length} were lost, such as ${missing[0]}`);
  if (keys.size !== delivered.length) faults.push('an event was delivered under two numbers');
  return faults;
}
