import { Check, Column, Entity } from 'typeorm';
import { BigInteger, Key, KeyTime } from '../../../1-platform/database/rows/columns';

/**
 * The values of a group of series at one time. The ids of a group are those from `64 × seriesGroup` on:
 * series of one owner that were first reported together (`inGroups`), and mostly are from then on. In a full
 * group, a value takes a twelfth of the space of a row of its own, and a thirtieth of the time. Series of the
 * release before keep their ids: their groups mix owners.
 *
 * Partitioned by day (UTC): an expired day is dropped as a whole. It has no foreign keys: checking the rows
 * of the series would cost more than writing their samples.
 */
@Entity('grouped_samples')
@Check('grouped_samples_values_check', 'places <> 0 and bit_count(places::bit(64)) = cardinality(sample_values)')
export class GroupedSamples {
  @Key('grouped_samples')
  orgId!: string;

  @Key('grouped_samples', 'bigint')
  seriesGroup!: number;

  @KeyTime('grouped_samples')
  sampledAt!: Date;

  /** A bit for each series of the group with a sample: bit n is for the series `64 × seriesGroup + n`. */
  @BigInteger()
  places!: string;

  /**
   * In the order of the bits. NaN if the reported value was not a number: the series was read and had no
   * value. Never infinite.
   */
  @Column({ type: 'double precision', array: true })
  sampleValues!: number[];
}
