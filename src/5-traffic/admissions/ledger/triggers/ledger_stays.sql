create or replace trigger ledger_stays before update or delete on ledger_entries for each row
execute function ledger_stays();
