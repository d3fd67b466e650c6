create or replace trigger activations_moved_routing after update on activations for each row
when (
  old.ready is distinct from new.ready
  or (old.phase = 'Draining') is distinct from (new.phase = 'Draining')
  or old.endpoint is distinct from new.endpoint
  or old.workers is distinct from new.workers
  or old.start_id is distinct from new.start_id
)
execute function routing_changed('profile');
