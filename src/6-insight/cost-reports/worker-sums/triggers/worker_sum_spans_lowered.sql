-- Also for replicas of the release before, which lower the end of the short sums alone.
create or replace trigger worker_sum_spans_lowered before update on worker_sum_spans
for each row when (new.longer_until > new.until) execute function longer_sums_lowered();
