create or replace trigger ledger_keeps_its_keys before delete on inference_keys for each row
execute function ledger_keeps_its_keys();
