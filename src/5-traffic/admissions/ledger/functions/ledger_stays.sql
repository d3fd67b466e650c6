-- The ledger is append-only: it is the proof of what keys were charged. Its balances stay too.
create or replace function ledger_stays() returns trigger
language plpgsql as $$
begin
  raise exception 'entries of the ledger stay as they are';
end $$;
