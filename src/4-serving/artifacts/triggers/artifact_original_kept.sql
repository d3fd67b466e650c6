create or replace trigger artifact_original_kept before update on artifacts for each row
when (
  old.promotion_state = 'pending' and new.promotion_state = 'confirmed' and new.node_name is not null
  and new.promotion_from in ('shared', 'object')
  and new.uri ~ '^service:[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
)
execute function artifact_original_kept();
