create or replace trigger ledger_stays_whole before truncate on ledger_entries for each statement
execute function ledger_stays();
