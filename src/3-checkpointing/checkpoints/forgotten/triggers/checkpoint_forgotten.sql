create or replace trigger checkpoint_forgotten after delete on checkpoints
referencing old table as removed for each statement
execute function checkpoint_forgotten();
