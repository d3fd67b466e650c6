-- Triggers fire in the order of their names. It is the order in which all writers lock the rows of the sums.
-- Records that settle_requests is about to write again are not added up yet.
create or replace trigger usage_records_3_busy_time after insert on usage_records
referencing new table as added for each statement
when (current_setting('app.usage_sums', true) is distinct from 'later')
execute function add_busy_time();
