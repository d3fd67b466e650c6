create or replace trigger checkpoint_forgotten after delete on checkpoints for each row
when (old.claimed and old.bytes_removed_at is null)
execute function checkpoint_forgotten();
