import { Json, Uuid } from '../../../1-platform/common/fields/fields';

const BESIDE = { optional: true, maxBytes: null, description: 'Printed by Slurm, not looked at' } as const;

/** What Slurm prints beside the records: it is sent along, so that its output need not be taken apart. */
export abstract class SlurmSyncBody {
  @Uuid()
  cluster_id!: string;

  @Json(BESIDE)
  meta?: unknown;

  @Json({ ...BESIDE, description: 'Printed by Slurm; when it holds one, its call failed' })
  errors?: unknown;

  @Json(BESIDE)
  warnings?: unknown;

  @Json(BESIDE)
  last_update?: unknown;

  @Json(BESIDE)
  last_backfill?: unknown;
}

/**
 * The records of a batch, each as Slurm prints it or with
 * the wire's own names. They are looked at one by one.
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
 * Schema of a record: the members it must have, and those that are
 * read beside Slurm's own; of any type but the name.
 */
export const recordSchema = (required: readonly string[], read: readonly string[]): object => ({
  type: 'object',
  required: [...required],
  additionalProperties: true,
  properties: { ...Object.fromEntries([...required, ...read].map((name) => [name, {}])), name: { type: 'string' } },
});
