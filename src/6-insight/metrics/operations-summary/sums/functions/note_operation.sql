-- Notes that the sums of the reports gain (1) or lose (-1) an attempt as it is given, with the stages that it
-- has now if these come or go with it.
create or replace function note_operation(fact operation_facts, gained int, with_stages boolean) returns void
language plpgsql as $$
begin
  insert into operation_changes (org_id, started_at, id, weight, attempt, op_type, workload_type, result,
    storage_tier, failure_stage_label, failure_reason_label, duration_ns, pause_ns, physical_bytes,
    pod_scheduled_at, pod_ready_at, stages, stage_ns)
  select fact.org_id, fact.started_at, gen_random_uuid(), gained, true, fact.op_type, fact.workload_type,
    fact.result, fact.storage_tier, fact.failure_stage_label, fact.failure_reason_label, fact.duration_ns,
    fact.pause_ns, fact.physical_bytes, fact.pod_scheduled_at, fact.pod_ready_at,
    coalesce(s.stages, '{}'), coalesce(s.stage_ns, '{}')
  from (
    select array_agg(stage) as stages, array_agg(duration_ns) as stage_ns from operation_stages
    where with_stages and fact.result = 'succeeded'
      and org_id = fact.org_id and operation_id = fact.operation_id
  ) s;
end $$;
