/** A promise of docs/reliability.md. */
export interface Row {
  readonly row: number;
  readonly promise: string;
  /** How the tests try to refute it. */
  readonly shown: string;
  /** The specs that do, from the root of the project. */
  readonly specs: readonly string[];
  /** What is not measured here, and why. */
  readonly open?: string;
}

/** In the order of the page. */
export const ROWS: readonly Row[] = [
  {
    row: 1,
    promise: 'An acknowledged write is never lost and never half done',
    shown:
      'Clients create profiles and admit requests over two processes, while kill -9 ends the processes and PostgreSQL in turn. Afterwards each acknowledged write has its row, one event, one audit entry and one entry of the ledger. Heartbeats of policies stay exactly once while processes are killed. Inference workers are killed while chats are under way: each chat gets an answer or a clear error, and is settled once.',
    specs: [
      'test/reliability/01-acknowledged-writes.spec.ts',
      'test/reliability/01-killed-workers.spec.ts',
      'test/reliability/01-policies-exactly-once.spec.ts',
      'test/high-availability/fail-over.spec.ts',
    ],
    open: 'The goal is 200,000 acknowledged writes in all; how many there are depends on the machine, which restarts a process or PostgreSQL for much of the time.',
  },
  {
    row: 2,
    promise: 'The outbox delivers every event at least once, in the order of its object, with numbers without a gap',
    shown:
      '16 writers, some slow and some that roll back, and four consumers that lose replies and crash, over two processes. Half of the connections are ended three times in each run, and a process is killed. The checker compares what was committed with what was delivered.',
    specs: ['test/reliability/02-outbox.spec.ts', 'test/e2e/1-platform/outbox/checker.spec.ts'],
  },
  {
    row: 3,
    promise: 'A budget is never overspent at admission',
    shown:
      'Bursts of 400 requests over two processes for a budget of 100 of them, requests of different prices, kills between reservation and settlement, and random histories, during which the ledger is compared with the keys without a pause.',
    specs: [
      'test/reliability/03-budget.spec.ts',
      'test/reliability/03-budget-crashes.spec.ts',
      'test/reliability/03-budget-histories.spec.ts',
    ],
  },
  {
    row: 4,
    promise: 'A rate limit holds across replicas',
    shown: 'Three keys with different rates, six callers each without a pause, over several processes.',
    specs: ['test/reliability/04-rate-limit.spec.ts'],
  },
  {
    row: 5,
    promise: 'A profile has one open request for a restart or a checkpoint',
    shown: 'Callers at two processes ask at once, and the open attempt ends in the middle of every other round.',
    specs: ['test/reliability/05-one-open-request.spec.ts'],
  },
  {
    row: 6,
    promise: 'A repeated intent uses its row again, and the newest one counts',
    shown: 'Callers at two processes ask at once for the same state, and for different ones.',
    specs: ['test/reliability/06-repeated-intents.spec.ts'],
  },
  {
    row: 7,
    promise: 'A request that is repeated with its Idempotency-Key has one effect and one answer',
    shown:
      '50 requests with one key at two processes, one of which is killed meanwhile, for operations of every wing. A process that orders a machine is killed at each of seven points.',
    specs: [
      'test/reliability/07-idempotency.spec.ts',
      'test/reliability/07-instance-crashes.spec.ts',
      'test/e2e/1-platform/idempotency/idempotency.spec.ts',
    ],
  },
  {
    row: 8,
    promise: 'No organisation reads or changes what another one has',
    shown:
      "Every operation, with every kind of another organisation's id, in paths, queries and bodies. All of it once more with row level security switched off, which leaves the conditions of the statements. Row level security alone, with SQL that names the other organisation's rows in every table.",
    specs: ['test/architecture/tenancy.spec.ts'],
  },
  {
    row: 9,
    promise: 'Every operation needs the right role',
    shown: 'Every operation as seven callers. A route without a declaration keeps the service from starting.',
    specs: ['test/architecture/access.spec.ts'],
  },
  {
    row: 10,
    promise: 'Secrets are nowhere in clear',
    shown:
      'Tokens, keys and the password of the database are searched for, in clear, in base64 and in hex, in every table, line of output, metric, audit entry and reply after use, misuse and failures.',
    specs: [
      'test/security/10-secrets.spec.ts',
      'test/e2e/5-traffic/inference-keys/secrets.spec.ts',
      'test/e2e/7-cloud/instances/secrets.spec.ts',
    ],
  },
  {
    row: 11,
    promise: 'No input becomes SQL',
    shown:
      'sqlmap (`--batch --level 3`) on parameters of queries, paths, bodies and the bearer. Tokens that would make PostgreSQL wait.',
    specs: ['test/security/11-injection.spec.ts', 'test/security/11-sqlmap.spec.ts', 'test/architecture/lint.spec.ts'],
  },
  {
    row: 12,
    promise: 'The service connects to no address that an attacker chooses',
    shown:
      'More than 100 hostile addresses in each field that accepts one, canaries on loopback, names that resolve to something else, redirects.',
    specs: [
      'test/e2e/1-platform/outbound/endpoints-taken-in.spec.ts',
      'test/e2e/1-platform/outbound/worker-client.spec.ts',
      'test/e2e/5-traffic/chat/hostile-endpoints.spec.ts',
    ],
  },
  {
    row: 13,
    promise: 'No input is answered with 5xx, and every reply is as described',
    shown:
      '`npm run fuzz -- --minutes 10 --seed 1`: every operation as 26 kinds of caller, with valid and corrupted bodies, parameters, headers and bearers. Each reply is compared with the description. All other tests compare each reply too.',
    specs: ['test/fuzz/fuzz.spec.ts', 'test/e2e/1-platform/http/problems.spec.ts', 'test/contract/contract.spec.ts'],
  },
  {
    row: 14,
    promise: 'The API stays compatible',
    shown:
      'The served description is compared with the contract beside the checkout, if there is one. `npm run openapi:check` fails when the description and the code differ. Generated clients are compiled and used.',
    specs: ['test/contract/contract.spec.ts', 'test/clients/generated-clients.spec.ts'],
    open: 'There is no release to compare with yet. From the first one on, its description is the reference.',
  },
  {
    row: 15,
    promise: 'The deletion of a cluster is all or nothing',
    shown:
      'The connection to the database breaks behind each statement of the deletion in turn. The cluster has a row in every table that refers to one. All rows of the organisation are compared, with events and audit entries.',
    specs: ['test/reliability/15-cluster-deletion.spec.ts', 'test/e2e/2-inventory/clusters/delete-under-load.spec.ts'],
  },
  {
    row: 16,
    promise: 'Migrations can be undone and repeated, and disturb no traffic',
    shown:
      'Migrations down and up again on a filled database: checksums of all rows stay, and the schema is the same. The largest tables are read, written, and held by long transactions meanwhile, in both directions. The way down copies the audit entries under a lock, so its waits have no bound: it is no way to return to an earlier release.',
    specs: [
      'test/reliability/16-migrations.spec.ts',
      'test/e2e/1-platform/database/upgrade.spec.ts',
      'test/e2e/1-platform/database/migrations-under-traffic.spec.ts',
      'test/architecture/migrations.spec.ts',
    ],
  },
  {
    row: 17,
    promise: 'A backup restores',
    shown:
      'pg_dump and pg_restore of a filled database: each table has the same rows by md5, and the service starts on it.',
    specs: [
      'test/reliability/17-backup.spec.ts',
      'test/postgres15/backup.spec.ts',
      'test/postgres15/point-in-time-recovery.spec.ts',
    ],
  },
  {
    row: 18,
    promise: 'An outage of the database is survived',
    shown: 'PostgreSQL is stopped, restarted again and again, and its connections are ended, under load.',
    specs: ['test/reliability/18-database-outage.spec.ts', 'test/e2e/1-platform/http/outage.spec.ts'],
  },
  {
    row: 19,
    promise: 'A dependency that swallows requests keeps no caller waiting',
    shown: 'A proxy before the database and a worker that answer nothing; PostgreSQL that stands still.',
    specs: ['test/reliability/19-black-hole.spec.ts', 'test/e2e/1-platform/http/outage.spec.ts'],
  },
  {
    row: 20,
    promise: 'When a client leaves, its request ends at the worker, and is settled',
    shown: 'Clients leave before and during answers, at random times.',
    specs: ['test/reliability/20-leaving-clients.spec.ts'],
  },
  {
    row: 21,
    promise: 'A stop loses nothing',
    shown: 'Two processes are replaced one after the other under load, with connections that stay open and streams.',
    specs: [
      'test/reliability/21-rolling-restart.spec.ts',
      'test/e2e/1-platform/http/drain.spec.ts',
      'test/e2e/5-traffic/chat/stopping.spec.ts',
    ],
  },
  {
    row: 22,
    promise: 'A revoked key or token is refused everywhere within a second',
    shown: 'Keys are revoked at one of two processes under load, and while notifications are lost.',
    specs: ['test/reliability/22-news.spec.ts', 'test/e2e/1-platform/tokens/tokens.spec.ts'],
  },
  {
    row: 23,
    promise: 'Overload keeps what the service can do',
    shown:
      'Five times as many requests as the service can answer: see [attacks](attacks.md#more-requests-than-the-service-can-answer).',
    specs: ['test/attacks/overload.spec.ts', 'test/e2e/1-platform/http/overload.spec.ts'],
  },
  {
    row: 24,
    promise: 'Slow and malformed clients starve nobody',
    shown:
      '1,000 connections that send their headers or their bodies slowly, or nothing, or do not read their answers, beside a client with ordinary reads; requests that are not HTTP.',
    specs: ['test/attacks/overload.spec.ts', 'test/security/24-malformed-requests.spec.ts'],
  },
  {
    row: 25,
    promise: 'Nothing leaks over time',
    shown:
      'Mixed traffic. Now and then a full collection is forced: what the heap then keeps, resident memory and open files are compared. Peaks between collections are not in these figures. And weeks of traffic, with a short retention, by a clock of the database that is moved from day to day; the size of the database is compared.',
    specs: ['test/reliability/25-soak.spec.ts', 'test/reliability/25-retention.spec.ts'],
    open: 'The goal is 60 minutes. `SOAK_MINUTES=60` takes them; the long form takes four.',
  },
  {
    row: 26,
    promise: 'Integers survive',
    shown:
      'Integers beyond 2^53 in every integer and in all kept JSON of every operation: all replies and tables are searched for rounded ones. A reply or a row with another wrong value, such as the largest of its type, would not be found.',
    specs: [
      'test/reliability/26-integers.spec.ts',
      'test/e2e/1-platform/kept-json/numbers.spec.ts',
      'test/e2e/1-platform/http/problems.spec.ts',
    ],
  },
  {
    row: 27,
    promise: 'Pages are stable under writes',
    shown: 'A reader follows the pages of a list while rows with equal times are added.',
    specs: ['test/reliability/27-pages.spec.ts', 'test/e2e/1-platform/kept-json/pages.spec.ts'],
  },
  {
    row: 28,
    promise: 'Opaque JSON comes back unchanged',
    shown:
      'Random JSON values, with member names that JavaScript treats specially, and deep and large ones, up to the limits of bodies and beyond.',
    specs: ['test/reliability/28-kept-json.spec.ts', 'test/e2e/1-platform/kept-json/numbers.spec.ts'],
  },
  {
    row: 29,
    promise: 'A wrong clock of a process is harmless',
    shown: 'faketime runs one of two processes an hour early, an hour late and 400 days late.',
    specs: ['test/reliability/29-clock-skew.spec.ts'],
  },
  {
    row: 30,
    promise: 'A full disk is reported, and over as soon as there is room',
    shown:
      'PostgreSQL on a file system of 300 MB that is filled under load, stays full, and gets room again. Writes that were acknowledged before, meanwhile and afterwards are all looked for.',
    specs: ['test/reliability/30-full-disk.spec.ts', 'test/e2e/1-platform/http/full-disk.spec.ts'],
  },
  {
    row: 31,
    promise: 'Each change has one audit entry',
    shown:
      'Every operation of the description that is no read: once while the database takes no entry, which undoes the whole change, then with one entry that names the operation and what it changed, and once with a client that leaves before the reply. Those that leave no entry are listed, with the reason. Row 1 counts the entries after kills.',
    specs: [
      'test/reliability/31-audit-entries.spec.ts',
      'test/e2e/1-platform/audit/audit.spec.ts',
      'test/reliability/01-acknowledged-writes.spec.ts',
    ],
  },
  {
    row: 32,
    promise: 'The metrics are valid and bounded',
    shown:
      'promtool reads what an organisation and the process export, for 10,000 pods that were restored with hostile names and numbers.',
    specs: [
      'test/reliability/32-metrics.spec.ts',
      'test/e2e/6-insight/metrics/export.spec.ts',
      'test/e2e/1-platform/http/service-metrics.spec.ts',
    ],
  },
  {
    row: 33,
    promise: 'Two builds work together on one database',
    shown:
      'Two processes of the build before the newest migration are replaced by two of this one under load. Then one of each serve histories, which row 36 describes, while each in turn is killed and connections end. Needs the history of the repository.',
    specs: ['test/reliability/33-two-builds.spec.ts'],
  },
  {
    row: 34,
    promise: 'No regular expression and no parser takes long',
    shown:
      'Each pattern of the sources and of the description gets thousands of texts of 100,000 characters, and recheck looks for an attack on it. The largest bodies of each kind: see [attacks](attacks.md#bodies-that-stop-the-process).',
    specs: ['test/security/34-patterns.spec.ts', 'test/attacks/bodies.spec.ts', 'test/attacks/metrics.spec.ts'],
  },
  {
    row: 35,
    promise: 'The tests find faults',
    shown:
      '`npm run test:mutation` changes admission, guards, budgets, the outbox, retention and the choice of targets, in code and in SQL, one small change at a time. `npm run test:repeat` repeats tests.',
    specs: ['test/mutation/statement-mutants.spec.ts'],
    open: 'Of the statements, as many are changed as fit into four minutes for each part, chosen by a seed. Sources that only tests over HTTP can notice would take hours, and are not measured in full.',
  },
  {
    row: 36,
    promise: 'The state of one profile is that of one history',
    shown:
      'Clients of two processes record what they asked and what they received, while processes are killed and connections end. A search compares it with a model of intents, restarts, activations, artifacts, keys and the outbox. It finds each of twelve faults that are made on purpose.',
    specs: ['test/reliability/36-histories.spec.ts', 'test/history/injected-faults.spec.ts'],
  },
  {
    row: 37,
    promise: 'The dependencies are known and locked',
    shown: 'Install scripts, licences and checksums of every dependency.',
    specs: ['test/security/37-supply-chain.spec.ts'],
    open: 'Some packages have no version in range that is 14 days old, so ages are checked when a package is added and not by a test.',
  },
  {
    row: 38,
    promise: 'The service runs on Node 22 and 24',
    shown: 'The service starts, migrates and answers on each of them.',
    specs: ['test/reliability/38-node-versions.spec.ts'],
  },
];
