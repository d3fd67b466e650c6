import type { MigrationInterface, QueryRunner } from 'typeorm';
import { NUMBERING } from './1795360000000-OutboxDelivery';

/**
 * Numbers events by a cursor, with every type of plan enabled. PostgreSQL 15 to 17 add 10^10
 * to the cost of a plan that needs a disabled type, as the sort of the earlier function did.
 * That cost is far above `jit_above_cost`, so these versions compiled the plan to machine
 * code on each call, which takes 0.25 to 1 s of CPU.
 *
 * Neither plan can become one that reads all events of an organisation. The cursor's statement
 * is planned on each call, from the size that the table has at that time. An update of
 * `current of` a cursor always goes to the row directly.
 */
export class OutboxCursor1795640000000 implements MigrationInterface {
  name = 'OutboxCursor1795640000000';

  public async up(queryRunner: QueryRunner): Promise<void> {
    // In a function, because each statement must see what was
    // committed while the one before it waited for the head.
    await queryRunner.query(`
      create or replace function outbox_sequence(org uuid, lim int) returns int language plpgsql as $f$
      declare
        waiting refcursor;
        h bigint;
        n int := 0;
      begin
        select head into h from outbox_heads where org_id = org for update;
        if not found then
          insert into outbox_heads (org_id, head) values (org, 0) on conflict do nothing;
          select head into h from outbox_heads where org_id = org for update;
        end if;
        open waiting for execute
          'select from outbox_events where org_id = $1 and event_id is null order by position limit $2 for update' using org, lim;
        loop
          move waiting;
          exit when not found;
          update outbox_events set event_id = h + n + 1 where current of waiting;
          if found then
            n := n + 1;
          end if;
        end loop;
        close waiting;
        if n > 0 then
          update outbox_heads set head = h + n where org_id = org;
        end if;
        return n;
      end $f$`);
  }

  public async down(queryRunner: QueryRunner): Promise<void> {
    await queryRunner.query(NUMBERING.replace('create function', 'create or replace function'));
  }
}
