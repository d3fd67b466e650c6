-- Triggers fire in the order of their names. It is the order in which all writers lock the rows of the sums.
-- Records that settle_requests is about to write again are not added up yet.
create or replace trigger usage_records_2_warm_waits after insert on usage_records
referencing new table as added for each statement
when (current_setting('app.usage_sums', true) is distinct from 'later')
execute function add_warm_waits();
