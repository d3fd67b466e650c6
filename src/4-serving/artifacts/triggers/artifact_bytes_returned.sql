create or replace trigger artifact_bytes_returned before update on artifacts for each row
when (old.status in ('deleted', 'expired') and new.status not in ('deleted', 'expired'))
execute function artifact_bytes_returned();
