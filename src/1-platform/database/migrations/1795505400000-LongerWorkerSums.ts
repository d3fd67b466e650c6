import type { MigrationInterface, QueryRunner } from 'typeorm';
import { SEE_ALL_ROWS } from '../schema/under-locks';

/** As the release of this migration defines them: replicas of the release before lower the sums meanwhile. */
const LOWERED = `
  create or replace function longer_sums_lowered() returns trigger
  language plpgsql as $$
  begin
    new.longer_until := new.until;
    return new;
  end $$`;
const TRIGGER = `
  create or replace trigger worker_sum_spans_lowered before update on worker_sum_spans
  for each row when (new.longer_until > new.until) execute function longer_sums_lowered()`;

/** Sums of six hours and of ten days, which the next sweeps add up. A long report reads fewer rows. */
export class LongerWorkerSums1795505400000 implements MigrationInterface {
  name = 'LongerWorkerSums1795505400000';

  async up(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(
      `alter table worker_sum_spans add column longer_until timestamptz(3) not null default '1970-01-01 00:00:00+00'`,
    );
    await queryRunner.query(LOWERED);
    await queryRunner.query(TRIGGER);
  }

  async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query('drop trigger if exists worker_sum_spans_lowered on worker_sum_spans');
    await queryRunner.query('drop function if exists longer_sums_lowered()');
    await queryRunner.query(`update schema_objects set checksum = '', revision = 0`);
    await queryRunner.query(SEE_ALL_ROWS);
    await queryRunner.query('alter table worker_sum_spans drop column longer_until');
    await queryRunner.query('delete from worker_sums where step in (21600, 864000)');
  }
}
