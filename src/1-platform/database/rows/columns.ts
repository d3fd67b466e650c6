import { Column, PrimaryColumn, type ColumnOptions, type PrimaryColumnOptions } from 'typeorm';

/** Part of the key of a table: every key begins with the organisation. */
export const Key = (table: string, type: 'uuid' | 'text' | 'integer' | 'bigint' = 'uuid'): PropertyDecorator =>
  PrimaryColumn({ type, primaryKeyConstraintName: `${table}_pkey` });

/** Like `Key`, for a time. */
export const KeyTime = (table: string, options: PrimaryColumnOptions = {}): PropertyDecorator =>
  PrimaryColumn({ type: 'timestamptz', precision: 3, primaryKeyConstraintName: `${table}_pkey`, ...options });

/** Like `KeyTime`, stamped by the database's clock: the time that partitions a table. */
export const DatabaseKeyTime = (table: string): PropertyDecorator =>
  KeyTime(table, { default: () => 'clock_timestamp()' });

export const Text = (options: ColumnOptions = {}): PropertyDecorator => Column({ type: 'text', ...options });
export const UuidColumn = (options: ColumnOptions = {}): PropertyDecorator => Column({ type: 'uuid', ...options });
export const Integer = (options: ColumnOptions = {}): PropertyDecorator => Column({ type: 'integer', ...options });
export const BigInteger = (options: ColumnOptions = {}): PropertyDecorator => Column({ type: 'bigint', ...options });
export const Flag = (options: ColumnOptions = {}): PropertyDecorator => Column({ type: 'boolean', ...options });
/**
 * JSON that is stored and returned: the received text, so that numbers keep their digits and a short
 * `1e99999` stays short, where jsonb would expand all digits and refuse larger numbers.
 */
export const KeptJson = (options: ColumnOptions = {}): PropertyDecorator => Column({ type: 'json', ...options });
/** JSON of texts that the database reads or compares: see `KeptJson`. */
export const Jsonb = (options: ColumnOptions = {}): PropertyDecorator => Column({ type: 'jsonb', ...options });
export const Timestamp = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'timestamptz', precision: 3, ...options });

/** A time that replicas must agree on: stamped by the database's clock. */
export const DatabaseTimestamp = (): PropertyDecorator => Timestamp({ default: () => 'clock_timestamp()' });

/**
 * Kubernetes' resourceVersion: an integer of up to 20 digits, compared by the database, never calculated
 * with.
 */
export const ResourceVersion = (): PropertyDecorator =>
  Column({ type: 'numeric', precision: 20, scale: 0, nullable: true });

/**
 * US dollars to 10^-12, because the price of a token is tiny. Calculated by the database and as integers,
 * never as a double.
 */
export const Usd = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'numeric', precision: 24, scale: 12, ...options });
/** Sums of reported amounts, with room for any of them. */
export const Sum = (): PropertyDecorator => Column({ type: 'numeric', precision: 40, scale: 0 });
export const Double = (options: ColumnOptions = {}): PropertyDecorator =>
  Column({ type: 'double precision', ...options });
