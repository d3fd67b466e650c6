import type { Equivalent } from './mutant-results';

/** Mutants that no test can or should notice, each with its reason. */
export const EQUIVALENTS: readonly Equivalent[] = [
  {
    file: 'bearers/bearers.queries.ts',
    replaced: "(token.last_used_at is null or token.last_used_at < clock_timestamp() - interval '1 minute')",
    text: 'true',
    reason: 'it only saves writes: the time that is stored is then newer',
  },
  {
    file: 'bearers/bearers.queries.ts',
    replaced: '-',
    text: '+',
    reason: 'of the last use: it only saves writes',
  },
  {
    file: 'bearers/bearers.queries.ts',
    replaced: '1000',
    text: '1',
    reason: 'a bearer is remembered for a shorter time, so it is looked up more often',
  },
  {
    file: 'bearers/bearer-cache.ts',
    replaced: 'this.revocations++',
    text: 'this.revocations--',
    reason: 'a number that was different before is different after',
  },
  {
    file: 'outbox/outbox.queries.ts',
    replaced: 'event_id is null',
    text: 'true',
    reason: 'numbering the events of an organisation that has none to number changes nothing',
  },
  {
    file: 'outbox/outbox.queries.ts',
    replaced: 'select distinct',
    text: 'select',
    reason: 'numbering an organisation again changes nothing',
  },
  {
    file: 'outbox/outbox.queries.ts',
    replaced: "c.seen_at < clock_timestamp() - interval '30 seconds'",
    text: 'true',
    reason: 'it only saves writes: the time that is stored is then newer',
  },
  {
    file: 'outbox/outbox.queries.ts',
    replaced: 'left join',
    text: 'join',
    reason: 'the list numbers the events first, which makes the row that is joined',
  },
  {
    file: 'retention-policies/retention-policies.queries.ts',
    replaced: 'select distinct',
    text: 'select',
    reason: 'a second run of an organisation finds nothing to expire, and is not recorded',
  },
  {
    file: 'retention-policies/retention-policies.queries.ts',
    replaced: 'enabled',
    text: 'true',
    reason: 'the rule leaves disabled policies out: it only saves reads',
  },
  {
    file: 'retention-policies/retention-policies.queries.ts',
    replaced: '(max_age_days is not null or max_count is not null)',
    text: 'true',
    reason: 'a policy without a limit expires nothing: it only saves runs',
  },
  {
    file: 'residency/kept-artifacts.queries.ts',
    replaced: "status in ('ready', 'golden', 'quarantined')",
    text: 'true',
    reason: 'artifacts whose bytes are gone are left out of the rows that were read',
  },
  {
    file: 'residency/kept-artifacts.queries.ts',
    replaced: '($profile_id::text is null or profile_id = $profile_id)',
    text: 'true',
    reason: 'whoever names a profile leaves others out of the rows that were read',
  },
  {
    file: 'residency/kept-artifacts.queries.ts',
    replaced: 's.artifact_id is not null',
    text: 'true',
    reason: 'a null instead of false, which also means that no worker runs from it',
  },
  {
    file: 'residency/kept-artifacts.queries.ts',
    replaced: "a.status in ('ready', 'quarantined')",
    text: 'true',
    reason: 'the decision, made after the rows were locked, leaves others out',
  },
  {
    file: 'choice/routing-tables.queries.ts',
    replaced: 'select distinct',
    text: 'select',
    reason: 'the same times of a profile are read again for each of its routes',
  },
  {
    file: 'functions/admit_requests_one_by_one.sql',
    replaced: "outcome = 'authorized'",
    text: 'true',
    reason: 'what it returns beside a refusal is not read',
  },
  {
    file: 'choice/route-choice.ts',
    replaced: 'tier == null',
    text: 'false',
    reason: 'no target has the tier null, so the order is the same',
  },
  {
    file: 'choice/route-choice.ts',
    replaced: 'tier != null',
    text: 'true',
    reason: 'no target has the tier null, so none has the tier of such a request',
  },
  {
    file: 'choice/route-choice.ts',
    replaced: 'targets.filter((one) => !of(tier)(one))',
    text: 'targets',
    reason: 'a target that is in the order twice is found at its first place',
  },
  {
    file: 'choice/worker-choice.ts',
    replaced: 'place < workers.length',
    text: 'place <= workers.length',
    reason: 'the first worker is compared with itself again',
  },
  {
    file: 'choice/worker-choice.ts',
    replaced: 'recent === undefined',
    text: 'false',
    reason: 'it saves a search: no worker has an undefined key',
  },
  {
    file: 'choice/routing-table.ts',
    replaced: 'row.prompt_price === null',
    text: 'false',
    reason: 'no price is no valid number either',
  },
  {
    file: 'choice/routing-table.ts',
    replaced: 'row.completion_price === null',
    text: 'false',
    reason: 'no price is no valid number either',
  },
];
