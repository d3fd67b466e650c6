-- No key goes: entries of the ledger name it, and have no foreign key.
create or replace function ledger_keeps_its_keys() returns trigger
language plpgsql as $$
begin
  raise exception 'keys stay, because the ledger names them';
end $$;
