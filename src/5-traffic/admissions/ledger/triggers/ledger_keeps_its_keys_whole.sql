create or replace trigger ledger_keeps_its_keys_whole before truncate on inference_keys for each statement
execute function ledger_keeps_its_keys();
