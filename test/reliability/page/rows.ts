/** A promise of docs/reliability.md. */
export interface Row {
  readonly row: number;
  readonly promise: string;
  /** How the tests try to refute it. */
  readonly shown: string;
  /** The specs that do, from the root of the project. One of them has the number in its name. */
  readonly specs: readonly string[];
  /** What is not measured here, and why. */
  readonly open?: string;
  /** What the design asks for, where the tests ask for less. */
  readonly goals?: readonly Goal[];
}

export interface Goal {
  readonly goal: string;
  /** What the tests ask for instead. */
  readonly here: string;
  readonly why: string;
  /** Figures that show whether the goal is reached all the same. Absent, or not measured yet: none does. */
  readonly figure?: { readonly measure: RegExp } & ({ readonly atMost: number } | { readonly atLeast: number });
}

/** In the order of the page. */
export const ROWS: readonly Row[] = [
  {
    row: 1,
    promise: 'An acknowledged write is never lost and never half done',
    shown:
      'Clients create profiles and admit requests over two processes, while kill -9 ends the processes and PostgreSQL in turn. Afterwards each acknowledged write has its row, one event, one audit entry and one entry of the ledger. Heartbeats of policies stay exactly once while processes are killed. Inference workers are killed while chats are under way: each chat gets an answer or a clear error, and is settled once. Host agents and supervisors are killed at random moments, or at a report of theirs, while other clients use the service: a new agent takes over, and what is wanted, reported and really running is compared. A process that a killed supervisor was restoring ends before its replacement starts.',
    specs: [
      'test/reliability/01-acknowledged-writes.spec.ts',
      'test/reliability/01-killed-agents.spec.ts',
      'test/reliability/01-killed-workers.spec.ts',
      'test/reliability/01-policies-exactly-once.spec.ts',
      'test/high-availability/fail-over.spec.ts',
    ],
    goals: [
      {
        goal: '200,000 acknowledged writes in all, so 100,000 on each PostgreSQL',
        here: 'at least 50,000 on each',
        why: 'Each round waits ten seconds at most for its share, so a slow machine, or one that restarts PostgreSQL slowly, writes fewer.',
        figure: { measure: /^acknowledged writes$/, atLeast: 100_000 },
      },
    ],
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
      '50 requests with one key at two replicas, for every operation that accepts one: one reply, and all changed rows of the database are of the transaction that wrote the key. The same at two processes, one of which is killed meanwhile, for operations of every wing. A process that orders a machine is killed at each of seven points.',
    specs: [
      'test/reliability/07-every-creation.spec.ts',
      'test/reliability/07-idempotency.spec.ts',
      'test/reliability/07-instance-crashes.spec.ts',
      'test/e2e/1-platform/idempotency/idempotency.spec.ts',
    ],
    goals: [
      {
        goal: 'every operation that creates something, with kills',
        here: 'every one without kills; nine of them, of every wing, with kills',
        why: 'All of them store the answer by one mechanism, and each needs many rounds until a kill meets the moment.',
      },
    ],
  },
  {
    row: 8,
    promise: 'No organisation reads or changes what another one has',
    shown:
      "Every operation, with every kind of another organisation's id, in paths, queries and bodies. All of it once more with row level security switched off, which leaves the conditions of the statements. Row level security alone, with SQL that names the other organisation's rows in every table.",
    specs: ['test/security/08-tenancy.spec.ts'],
    goals: [
      {
        goal: 'every operation with row level security alone',
        here: 'SQL that names the rows of others, in every table',
        why: 'The conditions are in the statements themselves. There is no service without them.',
      },
    ],
  },
  {
    row: 9,
    promise: 'Every operation needs the right role',
    shown:
      'Every operation without a bearer, with each of four roles, and with an inference key; those of the platform with its token too. A route without a declaration keeps the service from starting.',
    specs: ['test/security/09-access.spec.ts'],
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
    goals: [
      {
        goal: 'sqlmap on every parameter',
        here: 'on seven, one of each kind',
        why: 'It takes up to four minutes for each of some hundred parameters. Every parameter of a query or path gets texts with pg_sleep instead, random members of bodies get one in the fuzzing of row 13, and a rule of lint refuses SQL that is put together from values.',
      },
    ],
  },
  {
    row: 12,
    promise: 'The service connects to no address that an attacker chooses',
    shown:
      'More than 100 hostile addresses in each field that accepts one, canaries on loopback, names that resolve to something else, redirects.',
    specs: [
      'test/security/12-endpoints-taken-in.spec.ts',
      'test/security/12-hostile-endpoints.spec.ts',
      'test/e2e/1-platform/outbound/worker-client.spec.ts',
    ],
  },
  {
    row: 13,
    promise: 'No input is answered with 5xx, and every reply is as described',
    shown:
      '`npm run fuzz -- --minutes 10 --seed 1`: every operation as each of seven roles once, and by chance as 27 kinds of caller, with valid and corrupted bodies, parameters, headers and bearers. Each reply is compared with the description. All other tests compare each reply too.',
    specs: [
      'test/security/13-fuzzing.spec.ts',
      'test/e2e/1-platform/http/problems.spec.ts',
      'test/security/14-contract.spec.ts',
    ],
    goals: [
      {
        goal: '500 requests of each operation',
        here: 'as many as ten minutes allow',
        why: 'More: `npm run fuzz -- --minutes 30`.',
        figure: { measure: /requested least$/, atLeast: 500 },
      },
      {
        goal: 'requests generated by Specmatic, fast-check and hypothesis',
        here: 'by fast-check alone',
        why: 'The others read the same description and would try the same kinds of values.',
      },
    ],
  },
  {
    row: 14,
    promise: 'The API stays compatible',
    shown:
      'The served description is compared with the contract beside the checkout, if there is one. `npm run openapi:check` fails when the description and the code differ. Generated clients are compiled and used.',
    specs: ['test/security/14-contract.spec.ts', 'test/clients/generated-clients.spec.ts'],
    goals: [
      {
        goal: 'the description is compared with that of the last release',
        here: 'with the contract, if it is there',
        why: 'There is no release yet. From the first one on, its description is the reference.',
      },
    ],
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
    goals: [
      {
        goal: 'no request waits for more than 100 ms',
        here: 'on the way up',
        why: 'The way down copies the audit entries under a lock. Reader, service, PostgreSQL and the migration share two cores, on which a million rows are copied and indexed meanwhile.',
        figure: { measure: /^longest (?:read|write) .*on the way up$/, atMost: 100 },
      },
      {
        goal: 'squawk accepts every migration',
        here: 'rules of our own: test/architecture/migrations.spec.ts',
        why: 'squawk reads files of SQL. The migrations are programs, some of which ask the database what is left to do.',
      },
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
      'test/postgres15/log-archive.spec.ts',
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
    shown:
      'A proxy before the database and a worker that answer nothing; connections to the database that lose their packets, one by one; PostgreSQL that stands still.',
    specs: ['test/reliability/19-black-hole.spec.ts', 'test/e2e/1-platform/http/outage.spec.ts'],
    goals: [
      {
        goal: 'each call ends 250 ms after the time that the service has for it, which is a second',
        here: 'after 500 ms more, and within six seconds where the hole holds the lock of a row',
        why: 'A lock ends with its session, which PostgreSQL notices after some seconds without a reply; until then, whoever needs the row waits or is refused.',
        figure: { measure: /^slowest reply(?! after)|^longest wait of their requests/, atMost: 1_250 },
      },
      {
        goal: 'the pool serves again within a second',
        here: 'within two, behind a PostgreSQL that stood still',
        why: 'PostgreSQL first works off what it received before.',
        figure: { measure: /^from its return to the first success|^until the replica serves again/, atMost: 1_000 },
      },
    ],
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
    goals: [
      {
        goal: 'a process that stops refuses with 503 and `Connection: close`',
        here: 'or its port is closed, and the request is never read',
        why: 'A process that has gone answers nothing. A client or a balancer then asks another one.',
      },
    ],
  },
  {
    row: 22,
    promise: 'A revoked key or token is refused everywhere within a second',
    shown: 'Keys and tokens are revoked at one of two processes under load, and while notifications are lost.',
    specs: ['test/reliability/22-news.spec.ts', 'test/e2e/1-platform/tokens/tokens.spec.ts'],
  },
  {
    row: 23,
    promise: 'Overload keeps what the service can do',
    shown:
      'Five times as many requests as the service can answer: see [attacks](attacks.md#more-requests-than-the-service-can-answer).',
    specs: ['test/reliability/23-overload.spec.ts', 'test/e2e/1-platform/http/overload.spec.ts'],
    goals: [
      {
        goal: 'a refusal takes 10 ms at most',
        here: 'a second, for clients that do not wait as `Retry-After` says',
        why: 'They send a thousand requests at once to a service that has one core, and a refusal costs a part of it: the rest of the core is for requests that are served.',
        figure: { measure: /^p99 of refusals/, atMost: 10 },
      },
      {
        goal: 'all reports of controllers are answered',
        here: '99 %, and 95 % beside unknown bearers',
        why: 'The first second of a flood, before the limits have adjusted, may refuse some.',
        figure: { measure: /^reports answered$/, atLeast: 100 },
      },
      {
        goal: 'a flood with one key leaves the times of other keys within twice what they were',
        here: 'the test asks for the same, and its figures miss it',
        why: 'The first request of a key that waits for nothing passes the queue, but it shares one core with up to 64 chats that are under way: each of them costs a third of a millisecond of the service, and as much of PostgreSQL.',
      },
      {
        goal: 'refusals of clients that wait a second take 10 ms at most',
        here: 'the test asks for the same; half of the refusals reach it',
        why: 'A thousand connections that do not wait are read in the same turns of the event loop, and a refusal comes after those before it.',
      },
    ],
  },
  {
    row: 24,
    promise: 'Slow and malformed clients starve nobody',
    shown:
      '1,000 connections that send their headers or their bodies slowly, or nothing, or do not read their answers, beside a client with ordinary reads; requests that are not HTTP.',
    specs: ['test/security/24-malformed-requests.spec.ts', 'test/reliability/23-overload.spec.ts'],
    goals: [
      {
        goal: 'the p99 of another client is twice at most what it is without slow ones',
        here: 'twice; below 2 ms, twice 2 ms',
        why: 'The client that measures is not more precise. It is missed while a thousand pages of 500 pods are made for clients that asked at once and do not read. That is the work, and not its readers: connections that are slow cost others little. With those that send headers slowly or never ask, the ratio was between 1.4 and 3.4 in several runs: 9 to 15 ms, of 4 to 8 ms without them.',
        figure: { measure: /^p99 of another client, of that without them$/, atMost: 2 },
      },
    ],
  },
  {
    row: 25,
    promise: 'Nothing leaks over time',
    shown:
      'Mixed traffic. Now and then a full collection is forced: what the heap then keeps, and how much memory is then resident, is compared from collection to collection, and open files before and after. The largest resident memory is that between collections. And weeks of traffic, of keys too, with a short retention, by a clock of the database that is moved from day to day; the size of the database is compared, with the ledger, whose `LEDGER_RETENTION_DAYS` (400 by default) is as short there.',
    specs: ['test/reliability/25-soak.spec.ts', 'test/reliability/25-retention.spec.ts'],
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
      'test/security/31-audit.spec.ts',
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
      "`npm run test:mutation` changes admission, guards, budgets, the outbox, retention and the choice of targets, one small change at a time. Stryker changes all rules that have unit tests. Of the code that runs in the service, and of statements, some changes are picked by a seed: Stryker's, and those of a mutator for SQL. A change that is no valid program or SQL does not count. `npm run test:repeat` repeats tests.",
    specs: ['test/reliability/35-tests-find-faults.spec.ts', 'test/mutation/statement-mutants.spec.ts'],
    goals: [
      {
        goal: 'every change that Stryker can make',
        here: 'every one in the rules, and of the code that runs in the service as many as fit into four minutes for each part',
        why: 'Each needs a start of the service, so all of them would take many hours. A larger sample: `npm run test:mutation -- outbox --minutes 60 --most 1000`.',
      },
      {
        goal: 'figures of changes that no test was written for',
        here: 'so for the code of budgets, retention and the outbox, and for the statements of all parts. The code of guards and routing is changed where survivors have tests',
        why: 'Another seed gives other changes: `npm run test:mutation -- routing --seed 2`. Of statements, seeds for which no test was written noticed 63 % of 19 in budgets and 66 % of 32 in routing, before tests of their rules were added. The next ones noticed 89 % of 36 and 94 % of 54.',
      },
    ],
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
    shown: 'Install scripts, licences, checksums and ages of every dependency. An SBOM with a checksum of each.',
    specs: ['test/security/37-sbom.spec.ts', 'test/security/37-supply-chain.spec.ts'],
    goals: [
      {
        goal: 'no version is younger than 14 days',
        here: 'but for those that were locked before ages were tested; the test lists them',
        why: 'They were 9 to 13 days old on 28 November 2026.',
      },
    ],
  },
  {
    row: 38,
    promise: 'The service runs on Node 22 and 24, and npm starts it with Node 20',
    shown:
      '`node dist/main.js` starts, migrates, answers, streams and stops on Node 22 and on Node 24. `npm start` works with Node 20: it runs npm alone, which then starts the service on the Node 24 that `npm ci` has installed. `engines` in package.json and the README name 20.19 for that; on Apple silicon, for which npm has no Node, it is 22.18.',
    specs: ['test/reliability/38-node-versions.spec.ts'],
    open: 'Only the long form runs it: it needs three versions of Node.',
    goals: [
      {
        goal: 'the whole suite on Node 20, 22 and 24',
        here: 'six kinds of requests for ten seconds on 22 and 24, and `npm start` with 20',
        why: 'The service needs `JSON.rawJSON`, which Node 20 does not have. The whole suite runs on the Node that `npm ci` installs, which is also the one of the container image.',
      },
    ],
  },
];
