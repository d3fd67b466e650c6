create or replace trigger artifact_stays_begun after insert on artifacts for each row
execute function artifact_stays_followed();
