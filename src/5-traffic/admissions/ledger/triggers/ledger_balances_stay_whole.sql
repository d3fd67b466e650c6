create or replace trigger ledger_balances_stay_whole before truncate on ledger_balances for each statement
execute function ledger_stays();
