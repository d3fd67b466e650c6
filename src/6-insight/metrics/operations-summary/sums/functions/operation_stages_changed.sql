-- Notes stages that come or go while their attempt has succeeded. Other attempts bring their stages along
-- when they succeed. Each attempt is looked up by its key (`offset`), whatever number the planner expects.
create or replace function operation_stages_changed() returns trigger
language plpgsql as $$
begin
  if tg_op <> 'INSERT' then
    insert into operation_changes (org_id, started_at, id, weight, attempt, op_type, workload_type, result,
      storage_tier, failure_stage_label, failure_reason_label, duration_ns, pause_ns, physical_bytes, stages,
      stage_ns)
    select f.org_id, f.started_at, gen_random_uuid(), -1, false, f.op_type, f.workload_type, f.result,
      '', '', '', 0, 0, 0, s.stages, s.stage_ns
    from (
      select org_id, operation_id, array_agg(stage) as stages, array_agg(duration_ns) as stage_ns
      from removed group by org_id, operation_id
    ) s cross join lateral (
      select * from operation_facts where org_id = s.org_id and operation_id = s.operation_id offset 0
    ) f where f.summed and f.result = 'succeeded';
  end if;
  if tg_op <> 'DELETE' then
    insert into operation_changes (org_id, started_at, id, weight, attempt, op_type, workload_type, result,
      storage_tier, failure_stage_label, failure_reason_label, duration_ns, pause_ns, physical_bytes, stages,
      stage_ns)
    select f.org_id, f.started_at, gen_random_uuid(), 1, false, f.op_type, f.workload_type, f.result,
      '', '', '', 0, 0, 0, s.stages, s.stage_ns
    from (
      select org_id, operation_id, array_agg(stage) as stages, array_agg(duration_ns) as stage_ns
      from added group by org_id, operation_id
    ) s cross join lateral (
      select * from operation_facts where org_id = s.org_id and operation_id = s.operation_id offset 0
    ) f where f.summed and f.result = 'succeeded';
  end if;
  return null;
end $$;
