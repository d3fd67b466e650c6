create or replace trigger artifact_stays_moved after update on artifacts for each row
when (
  (old.status, old.storage_tier, old.promotion_state, old.promotion_from)
  is distinct from (new.status, new.storage_tier, new.promotion_state, new.promotion_from)
)
execute function artifact_stays_followed();
