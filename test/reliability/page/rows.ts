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
      'Clients create profiles and admit requests over two processes, while kill -9 ends the processes and PostgreSQL in turn. Afterwards each acknowledged write has its row, one event, one audit entry and one entry of the ledger. Heartbeat policies request each checkpoint exactly once while processes are killed. Inference workers are killed while chats are in progress: each chat gets an answer or a clear error, and is settled once. Host agents and supervisors are killed at random moments, or while they report, and other clients use the service meanwhile: a new agent takes over, and the test compares what is wanted, what is reported and what really runs. A process that a killed supervisor was restoring ends before its replacement starts.',
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
      '16 writers, some of them slow and some that roll back, and four consumers that lose replies and crash, use two processes. Three times in each run, half of the connections are ended, and a process is killed once. A checker compares what was committed with what was delivered.',
    specs: ['test/reliability/02-outbox.spec.ts', 'test/e2e/1-platform/outbox/checker.spec.ts'],
  },
  {
    row: 3,
    promise: 'A budget is never overspent at admission',
    shown:
      'Bursts of 400 requests over two processes for a budget that covers 100 of them. Requests of different prices. Kills between reservation and settlement. Random histories, during which a test compares the ledger with the keys without a pause.',
    specs: [
      'test/reliability/03-budget.spec.ts',
      'test/reliability/03-budget-crashes.spec.ts',
      'test/reliability/03-budget-histories.spec.ts',
    ],
  },
  {
    row: 4,
    promise: 'A rate limit holds across replicas',
    shown:
      'Three keys with different rates. Six callers of each key send requests without a pause, over several processes.',
    specs: ['test/reliability/04-rate-limit.spec.ts'],
  },
  {
    row: 5,
    promise: 'A profile has one open request for a restart or a checkpoint',
    shown:
      'Callers at two processes send their requests at once. In every other round, the open attempt ends meanwhile.',
    specs: ['test/reliability/05-one-open-request.spec.ts'],
  },
  {
    row: 6,
    promise: 'A repeated intent uses its row again, and the newest one counts',
    shown: 'Callers at two processes request the same state at once, and different ones.',
    specs: ['test/reliability/06-repeated-intents.spec.ts'],
  },
  {
    row: 7,
    promise: 'A request that is repeated with its Idempotency-Key has one effect and one answer',
    shown:
      'For every operation that accepts a key, two replicas get 50 requests with the same one: there is one reply, and one transaction wrote the key and changed all rows. For operations of every wing, the same again while one of two processes is killed. A process that orders a machine is killed at each of seven points.',
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
      'Every operation gets every kind of id of another organisation, in paths, queries and bodies. Then the same with row level security switched off, so that only the conditions of the statements protect the rows. Then row level security alone: SQL names the rows of another organisation in every table.',
    specs: ['test/security/08-tenancy.spec.ts'],
    goals: [
      {
        goal: 'every operation with row level security alone',
        here: 'SQL that names the rows of others, in every table',
        why: 'The conditions are part of the statements, so the service cannot run without them.',
      },
    ],
  },
  {
    row: 9,
    promise: 'Every operation needs the right role',
    shown:
      'Every operation is called without a bearer, with each of four roles, and with an inference key. Operations of the platform are also called with a token of platform scope. The service does not start if an operation declares no access.',
    specs: ['test/security/09-access.spec.ts'],
  },
  {
    row: 10,
    promise: 'Secrets are nowhere in clear',
    shown:
      'After use, misuse and failures, a test looks for tokens, keys and the password of the database in every table, line of output, metric, audit entry and reply. It looks for them in clear, in base64 and in hex.',
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
      'sqlmap (`--batch --level 3`) attacks parameters of queries, paths, bodies and the bearer. Other texts would make PostgreSQL wait if they became SQL.',
    specs: ['test/security/11-injection.spec.ts', 'test/security/11-sqlmap.spec.ts', 'test/architecture/lint.spec.ts'],
    goals: [
      {
        goal: 'sqlmap on every parameter',
        here: 'on seven of them, one of each kind',
        why: 'It takes up to four minutes for each of some hundred parameters. Instead, every parameter of a query or path gets texts with pg_sleep, and so do random members of bodies in row 13. A rule of lint refuses SQL that is put together from values.',
      },
    ],
  },
  {
    row: 12,
    promise: 'The service connects to no address that an attacker chooses',
    shown:
      'More than 100 hostile addresses in each field that accepts an address, servers on loopback that must get no connection (canaries), names that resolve to something else, redirects.',
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
      '`npm run fuzz -- --minutes 10 --seed 1`: every operation once as each of seven roles, and as 27 kinds of caller at random, with valid and corrupted bodies, parameters, headers and bearers. Each reply is compared with the description, also in all other tests.',
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
      'The connection to the database breaks after each statement of the deletion in turn. The cluster has a row in every table that refers to clusters. The test compares all rows of the organisation, with events and audit entries.',
    specs: ['test/reliability/15-cluster-deletion.spec.ts', 'test/e2e/2-inventory/clusters/delete-under-load.spec.ts'],
  },
  {
    row: 16,
    promise: 'Migrations can be undone and repeated, and disturb no traffic',
    shown:
      'Migrations go down and up again on a filled database: the checksums of all rows and the schema stay the same. Meanwhile the largest tables are read, written, and held by long transactions. The way down copies the audit entries under a lock, so its waits have no bound: do not use it to return to an earlier release.',
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
        here: 'the rules of test/architecture/migrations.spec.ts',
        why: 'squawk reads files of SQL. The migrations are programs, some of which ask the database what is left to do.',
      },
    ],
  },
  {
    row: 17,
    promise: 'A backup restores',
    shown:
      'pg_dump and pg_restore of a filled database: each table has the same rows by md5, and the service starts on the restored database.',
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
    shown: 'Under load, PostgreSQL is stopped, is restarted again and again, and loses its connections.',
    specs: ['test/reliability/18-database-outage.spec.ts', 'test/e2e/1-platform/http/outage.spec.ts'],
  },
  {
    row: 19,
    promise: 'A dependency that swallows requests keeps no caller waiting',
    shown:
      'A proxy before the database and a worker that answer nothing. Connections to the database that lose their packets, one by one. PostgreSQL that stands still.',
    specs: ['test/reliability/19-black-hole.spec.ts', 'test/e2e/1-platform/http/outage.spec.ts'],
    goals: [
      {
        goal: 'each call ends at most 250 ms after its limit, which is a second',
        here: 'at most 500 ms after it, or within six seconds if the cut-off replica holds the lock of a row',
        why: 'A lock ends with its session. PostgreSQL notices after some seconds without a reply that the session has ended, and until then, requests for the row wait or are refused.',
        figure: { measure: /^slowest reply(?! after)|^longest wait of their requests/, atMost: 1_250 },
      },
      {
        goal: 'the pool serves again within a second',
        here: 'within two after PostgreSQL stood still',
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
    shown: 'Keys and tokens are revoked at one of two processes, under load and while notifications are lost.',
    specs: ['test/reliability/22-news.spec.ts', 'test/e2e/1-platform/tokens/tokens.spec.ts'],
  },
  {
    row: 23,
    promise: 'Overload keeps what the service can do',
    shown:
      'The service gets five times as many requests as it can answer: see [attacks](attacks.md#more-requests-than-the-service-can-answer).',
    specs: ['test/reliability/23-overload.spec.ts', 'test/e2e/1-platform/http/overload.spec.ts'],
    goals: [
      {
        goal: 'a refusal takes 10 ms at most',
        here: 'a second, for clients that do not wait as `Retry-After` says',
        why: 'They send a thousand requests at once to a service that has one core. A refusal costs some of that core, and most of it must be left for requests that are served.',
        figure: { measure: /^p99 of refusals/, atMost: 10 },
      },
      {
        goal: 'all reports of controllers are answered',
        here: '99 %, and 95 % beside unknown bearers',
        why: 'The first second of a flood, before the limits have adjusted, may refuse some.',
        figure: { measure: /^reports answered$/, atLeast: 100 },
      },
      {
        goal: 'a flood with one key at most doubles the times of other keys',
        here: 'the test asks for the same, and its figures miss it',
        why: 'The first request of a key without waiting requests passes the queue, but it shares one core with up to 64 chats in progress. Each of them costs the service a third of a millisecond, and PostgreSQL as much.',
      },
      {
        goal: 'refusals of clients that wait a second take 10 ms at most',
        here: 'the test asks for the same; half of the refusals reach it',
        why: 'A thousand connections that do not wait are read in the same turns of the event loop, and a refusal is sent after the refusals before it.',
      },
    ],
  },
  {
    row: 24,
    promise: 'Slow and malformed clients starve nobody',
    shown:
      '1,000 connections send their headers or their bodies slowly, or nothing, or do not read their answers, beside a client with ordinary reads. Others send requests that are not HTTP.',
    specs: ['test/security/24-malformed-requests.spec.ts', 'test/reliability/23-overload.spec.ts'],
    goals: [
      {
        goal: 'slow clients at most double the p99 of another client',
        here: 'the same, but at least twice 2 ms',
        why: 'Below 2 ms, the client that measures is not precise enough. The goal is missed while the service makes a thousand pages of 500 pods for clients that request them at once and do not read them: the pages cost the time, and slow readers little. With clients that send headers slowly or never send a request, the ratio was between 1.4 and 3.4 in several runs: 9 to 15 ms, and 4 to 8 ms without them.',
        figure: { measure: /^p99 of another client, of that without them$/, atMost: 2 },
      },
    ],
  },
  {
    row: 25,
    promise: 'Nothing leaks over time',
    shown:
      'Mixed traffic, with full garbage collections now and then: the test compares what the heap keeps and how much memory is resident after each of them, and the open files before and after. The largest resident memory is that between collections. Then weeks of traffic, also of keys, with a short retention: the clock of the database is moved from day to day, and the test compares the size of the database. The ledger is kept as shortly as the rest (`LEDGER_RETENTION_DAYS`, 400 by default).',
    specs: ['test/reliability/25-soak.spec.ts', 'test/reliability/25-retention.spec.ts'],
  },
  {
    row: 26,
    promise: 'Integers survive',
    shown:
      'Every integer field and all kept JSON of every operation get integers beyond 2^53. The test searches all replies and tables for rounded ones. It would not find another wrong value, such as the largest one of a type.',
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
      'Random JSON values, some with member names that JavaScript treats specially, some deep or large, up to the limits of bodies and beyond.',
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
      'PostgreSQL runs on a file system of 300 MB that is filled under load, stays full, and gets room again. The test looks for all writes that were acknowledged before, meanwhile and afterwards.',
    specs: ['test/reliability/30-full-disk.spec.ts', 'test/e2e/1-platform/http/full-disk.spec.ts'],
  },
  {
    row: 31,
    promise: 'Each change has one audit entry',
    shown:
      'Every operation that changes something runs three times. While the database accepts no audit entry, the whole change is undone. Then it leaves one entry, which names the operation and what it changed, also if the client leaves before the reply. The operations without an entry are listed, with the reason. Row 1 counts the entries after kills.',
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
      'Under load, two processes of the build before the newest migration are replaced by two of this build. Then one process of each build serves histories (see row 36), while each in turn is killed and connections end. The test needs the history of the repository.',
    specs: ['test/reliability/33-two-builds.spec.ts'],
  },
  {
    row: 34,
    promise: 'No regular expression and no parser takes long',
    shown:
      'Each pattern of the sources and of the API description gets thousands of texts of 100,000 characters, and the tool recheck looks for an attack on it. For the largest bodies of each kind, see [attacks](attacks.md#bodies-that-stop-the-process).',
    specs: ['test/security/34-patterns.spec.ts', 'test/attacks/bodies.spec.ts', 'test/attacks/metrics.spec.ts'],
  },
  {
    row: 35,
    promise: 'The tests find faults',
    shown:
      '`npm run test:mutation` changes admission, guards, budgets, the outbox, retention and the choice of targets, one small change at a time. In rules that have unit tests, Stryker makes every change. In code that runs in the service, and in SQL statements, a seed picks some changes of Stryker and of a mutator for SQL. A change that is no valid program or SQL does not count. `npm run test:repeat` repeats tests.',
    specs: ['test/reliability/35-tests-find-faults.spec.ts', 'test/mutation/statement-mutants.spec.ts'],
    goals: [
      {
        goal: 'every change that Stryker can make',
        here: 'every one in the rules, and of the code that runs in the service as many as fit into four minutes for each part',
        why: 'Each needs a start of the service, so all of them would take many hours. A larger sample: `npm run test:mutation -- outbox --minutes 60 --most 1000`.',
      },
      {
        goal: 'figures of changes for which no test was written',
        here: 'such figures for the code of budgets, retention and the outbox, and for the statements of all parts. In guards and routing, changes that survived earlier runs have tests now',
        why: 'Another seed gives other changes: `npm run test:mutation -- routing --seed 2`. With new seeds, tests noticed 63 % of 19 changes of statements in budgets and 66 % of 32 in routing. After tests of these rules were added, it was 89 % of 36 and 94 % of 54, again with new seeds.',
      },
    ],
  },
  {
    row: 36,
    promise: 'The state of one profile is that of one history',
    shown:
      'Clients of two processes record what they sent and received (a history), while processes are killed and connections end. A search compares each history with a model of intents, restarts, activations, artifacts, keys and the outbox. The search finds each of twelve faults that are made on purpose.',
    specs: ['test/reliability/36-histories.spec.ts', 'test/history/injected-faults.spec.ts'],
  },
  {
    row: 37,
    promise: 'The dependencies are known and locked',
    shown:
      'The test checks install scripts, licence, checksum and age of every dependency, and an SBOM with the checksum of each.',
    specs: ['test/security/37-sbom.spec.ts', 'test/security/37-supply-chain.spec.ts'],
    goals: [
      {
        goal: 'no version is younger than 14 days',
        here: 'except versions that were locked before ages were tested; the test lists them',
        why: 'They were 9 to 13 days old on 28 November 2026.',
      },
    ],
  },
  {
    row: 38,
    promise: 'The service runs on Node 22 and 24, and npm starts it with Node 20',
    shown:
      '`node dist/main.js` starts, migrates, answers, streams and stops on Node 22 and on Node 24. `npm start` works with Node 20: only npm runs on it, and starts the service on the Node 24 that `npm ci` has installed. [Which Node](../README.md#run-it-test-it) a machine needs.',
    specs: ['test/reliability/38-node-versions.spec.ts'],
    open: 'Only the long form runs this test, because it needs three versions of Node.',
    goals: [
      {
        goal: 'the whole suite on Node 20, 22 and 24',
        here: 'six kinds of requests for ten seconds on 22 and 24, and `npm start` with 20',
        why: 'The service needs `JSON.rawJSON`, which Node 20 does not have. The whole suite runs on the Node that `npm ci` installs, which the container image has too.',
      },
    ],
  },
];
