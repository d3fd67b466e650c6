import { Json, Uuid } from '../../../1-platform/common/fields/fields';

const BESIDE = { optional: true, maxBytes: null, description: 'Printed by Slurm; ignored' } as const;

/** The members that Slurm prints next to the records, so that its output can be sent unchanged. */
export abstract class SlurmSyncBody {
  @Uuid()
  cluster_id!: string;

  @Json(BESIDE)
  meta?: unknown;

  @Json({ ...BESIDE, description: 'Printed by Slurm; if it is not empty, the call failed' })
  errors?: unknown;

  @Json(BESIDE)
  warnings?: unknown;

  @Json(BESIDE)
  last_update?: unknown;

  @Json(BESIDE)
  last_backfill?: unknown;
}

/**
 * The records of a batch, each as Slurm prints it or with the names of this API. They are validated one by
 * one.
 */
export const Records = (
  maxItems: number,
  items: object,
  description: string,
  presence: { optional?: boolean } = {},
): PropertyDecorator =>
  Json({
    ...presence,
    maxBytes: null,
    description,
    schema: { type: 'array', items, maxItems },
    check: (value) =>
      !Array.isArray(value)
        ? 'must be an array'
        : value.length > maxItems
          ? `must hold at most ${maxItems} elements`
          : undefined,
  });

/**
 * Schema of a record: its required members, and those that are read in addition to Slurm's own; of any type
 * except the name.
 */
export const recordSchema = (required: readonly string[], read: readonly string[]): object => ({
  type: 'object',
  required: [...required],
  additionalProperties: true,
  properties: { ...Object.fromEntries([...required, ...read].map((name) => [name, {}])), name: { type: 'string' } },
});
