-- Times and sizes count once the attempt has succeeded: nodes report them several times before.
create or replace trigger operation_facts_2_changed after update on operation_facts
for each row when (
  (old.summed or new.summed) and (
    (
      old.summed, old.started_at, old.op_type, old.workload_type, old.result, old.storage_tier,
      old.failure_stage_label, old.failure_reason_label, old.pod_scheduled_at, old.pod_ready_at
    ) is distinct from (
      new.summed, new.started_at, new.op_type, new.workload_type, new.result, new.storage_tier,
      new.failure_stage_label, new.failure_reason_label, new.pod_scheduled_at, new.pod_ready_at
    )
    or new.result = 'succeeded' and (old.duration_ns, old.pause_ns, old.physical_bytes)
      is distinct from (new.duration_ns, new.pause_ns, new.physical_bytes)
  )
)
execute function operation_fact_changed();
