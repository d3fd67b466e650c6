import type { MigrationInterface, QueryRunner } from 'typeorm';
import { protectRows } from '../rows/row-level-security';
import { SEE_ALL_ROWS, underLocks } from '../schema/under-locks';

const EXISTS = `select to_regclass('grouped_samples') is not null as "exists"`;
const TABLE = `
  create table grouped_samples (
    org_id uuid not null,
    series_group bigint not null,
    sampled_at timestamptz(3) not null,
    places bigint not null,
    sample_values double precision[] not null,
    constraint grouped_samples_pkey primary key (org_id, series_group, sampled_at),
    constraint grouped_samples_values_check
      check (places <> 0 and bit_count(places::bit(64)) = cardinality(sample_values))
  ) partition by range (sampled_at)`;

// Replicas of the release before number series one by one, for as long as they run. There is room for a
// thousand million of these.
const GROUPS = `
  do $$ begin
    execute format('create sequence metric_series_groups start with %s',
      (select last_value / 64 from metric_series_id_seq) + 16777216);
  end $$`;
const NUMBERS = "select setval('metric_series_id_seq', max(id)) from metric_series";

// Each series has a new time about every half an hour: room on its page keeps that from its indexes.
const SERIES = [
  'alter table metric_series add column sampled_until timestamptz(3)',
  'alter table metric_series set (fillfactor = 85)',
];

/**
 * Samples of up to 64 series in a row: a sample takes a twelfth of the space, and a thirtieth of the time.
 * Those that are stored stay where they are, and go when their days expire.
 */
export class GroupedSamples1795503600000 implements MigrationInterface {
  name = 'GroupedSamples1795503600000';
  // It waits for its locks in short attempts.
  transaction = false;

  /** It may be killed at any time, and is done or not. */
  async up(queryRunner: QueryRunner): Promise<void> {
    const [found] = (await queryRunner.query(EXISTS)) as { exists: boolean }[];
    if (found?.exists) return;
    await underLocks(queryRunner, async () => {
      for (const statement of SERIES) await queryRunner.query(statement);
      await queryRunner.query(GROUPS);
      await queryRunner.query(TABLE);
      await protectRows(queryRunner, 'grouped_samples');
    });
  }

  /** Samples that were stored since go. */
  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(SEE_ALL_ROWS);
    await queryRunner.query('drop table grouped_samples');
    await queryRunner.query('drop sequence metric_series_groups');
    await queryRunner.query(NUMBERS);
    await queryRunner.query('alter table metric_series drop column sampled_until');
    await queryRunner.query('alter table metric_series reset (fillfactor)');
  }
}
