create or replace trigger ledger_balances_stay before update or delete on ledger_balances for each row
execute function ledger_stays();
