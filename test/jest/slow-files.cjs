const { existsSync } = require('node:fs');
const { resolve } = require('node:path');

const ROOT = resolve(__dirname, '../..');

/**
 * Spec files that take long, with their seconds on two busy processors. They take turns: each run of
 * `npm test` has a third of them, and three commits in a row have all. jest starts the longest first: one of
 * them might be the last otherwise, while the other workers are idle.
 */
const SECONDS = {
  'test/agent/slurm/real-slurm.spec.ts': 99,
  'test/console/cloud.spec.ts': 82,
  'test/agent/supervisor/checkpoint.spec.ts': 62,
  'test/console/states.spec.ts': 62,
  'test/guides/guides.spec.ts': 62,
  'test/e2e/1-platform/http/service-metrics.spec.ts': 55,
  'test/console/slurm.spec.ts': 53,
  'test/agent/host/requests.spec.ts': 45,
  'test/agent/slurm/workers.spec.ts': 45,
  'test/agent/workers/workers.spec.ts': 45,
  'test/e2e/4-serving/fleet-simulation/totals.spec.ts': 43,
  'test/agent/host/machines.spec.ts': 42,
  'test/e2e/7-cloud/instances/creating.spec.ts': 38,
  'test/history/injected-faults.spec.ts': 37,
  'test/agent/supervisor/network.spec.ts': 35,
  'test/console/behaviour.spec.ts': 34,
  'test/console/policies.spec.ts': 34,
  'test/e2e/6-insight/analytics/rollups.spec.ts': 32,
  'test/console/pages.spec.ts': 30,
  'test/process/demo-real.spec.ts': 30,
  'test/process/demo.spec.ts': 30,
  'test/process/migrate-command.spec.ts': 30,
  'test/process/promotion.spec.ts': 30,
  'test/process/socket-outage.spec.ts': 30,
  'test/process/start-and-stop.spec.ts': 30,
  'test/process/start-on-old-databases.spec.ts': 30,
  'test/process/stop-without-database.spec.ts': 30,
  'test/process/token-command.spec.ts': 30,
  'test/process/tracing.spec.ts': 30,
  'test/agent/store/service-store.spec.ts': 29,
  'test/cli/requests.spec.ts': 26,
  'test/e2e/1-platform/database/read-replica/read-replica.spec.ts': 26,
  'test/e2e/7-cloud/plugins/storages.spec.ts': 25,
  'test/console/metrics.spec.ts': 24,
  'test/agent/workers/rounds.spec.ts': 23,
  'test/console/models.spec.ts': 23,
  'test/agent/supervisor/trust.spec.ts': 22,
  'test/e2e/5-traffic/external-routers/expiry.spec.ts': 22,
  'test/e2e/6-insight/metrics/export.spec.ts': 22,
  'test/cli/reading.spec.ts': 21,
  'test/console/experiments.spec.ts': 21,
  'test/e2e/1-platform/database/lateness.spec.ts': 21,
  'test/examples/examples.spec.ts': 20,
  'test/e2e/3-checkpointing/policies/exactly-once.spec.ts': 19,
  'test/e2e/4-serving/fleet-simulation/fleet.spec.ts': 19,
  'test/e2e/6-insight/metrics/operation-sums.spec.ts': 19,
  'test/e2e/7-cloud/plugins/directory.spec.ts': 19,
  'test/clients/generated-clients.spec.ts': 18,
  'test/agent/kubernetes/controller.spec.ts': 17,
  'test/cli/sessions.spec.ts': 17,
  'test/agent/workers/several-agents.spec.ts': 16,
  'test/console/promises.spec.ts': 16,
  'test/e2e/1-platform/http/bodies.spec.ts': 16,
  'test/e2e/7-cloud/instances/living.spec.ts': 16,
  'test/e2e/1-platform/database/unconfirmed-commits.spec.ts': 15,
  'test/e2e/1-platform/scheduling/sweeps.spec.ts': 15,
  'test/e2e/6-insight/savings/refreshes.spec.ts': 15,
  'test/console/actions.spec.ts': 14,
  'test/e2e/5-traffic/external-routers/resolve.spec.ts': 14,
  'test/agent/supervisor/faults.spec.ts': 13,
  'test/agent/workers/artifacts.spec.ts': 13,
  'test/console/insight.spec.ts': 13,
  'test/e2e/1-platform/database/dead-connections.spec.ts': 13,
  'test/e2e/7-cloud/plugins/failing-storage.spec.ts': 13,
  'test/e2e/5-traffic/admissions/outage.spec.ts': 12,
  'test/reliability/01-acknowledged-writes.spec.ts': 12,
  'test/reliability/01-killed-workers.spec.ts': 12,
  'test/reliability/01-policies-exactly-once.spec.ts': 12,
  'test/reliability/02-outbox.spec.ts': 12,
  'test/reliability/03-budget-crashes.spec.ts': 12,
  'test/reliability/03-budget-histories.spec.ts': 12,
  'test/reliability/03-budget.spec.ts': 12,
  'test/reliability/04-rate-limit.spec.ts': 12,
  'test/reliability/05-one-open-request.spec.ts': 12,
  'test/reliability/06-repeated-intents.spec.ts': 12,
  'test/reliability/07-idempotency.spec.ts': 12,
  'test/reliability/07-instance-crashes.spec.ts': 12,
  'test/reliability/15-cluster-deletion.spec.ts': 12,
  'test/reliability/16-migrations.spec.ts': 12,
  'test/reliability/17-backup.spec.ts': 12,
  'test/reliability/18-database-outage.spec.ts': 12,
  'test/reliability/19-black-hole.spec.ts': 12,
  'test/reliability/20-leaving-clients.spec.ts': 12,
  'test/reliability/21-rolling-restart.spec.ts': 12,
  'test/reliability/22-news.spec.ts': 12,
  'test/reliability/23-overload.spec.ts': 12,
  'test/reliability/25-retention.spec.ts': 12,
  'test/reliability/25-soak.spec.ts': 12,
  'test/reliability/26-integers.spec.ts': 12,
  'test/reliability/27-pages.spec.ts': 12,
  'test/reliability/28-kept-json.spec.ts': 12,
  'test/reliability/29-clock-skew.spec.ts': 12,
  'test/reliability/30-full-disk.spec.ts': 12,
  'test/reliability/31-audit-entries.spec.ts': 12,
  'test/reliability/32-metrics.spec.ts': 12,
  'test/reliability/33-two-builds.spec.ts': 12,
  'test/reliability/35-tests-find-faults.spec.ts': 12,
  'test/reliability/36-histories.spec.ts': 12,
  'test/reliability/38-node-versions.spec.ts': 12,
  'test/security/12-hostile-endpoints.spec.ts': 12,
  'test/agent/kubernetes/lease-leadership.spec.ts': 11,
  'test/agent/supervisor/launch.spec.ts': 11,
  'test/agent/supervisor/required-files.spec.ts': 11,
  'test/agent/workers/killed-controller.spec.ts': 11,
  'test/e2e/1-platform/old-rows/old-rows.spec.ts': 11,
  'test/e2e/5-traffic/chat/cold-models.spec.ts': 11,
  'test/e2e/5-traffic/fleets/budgets.spec.ts': 11,
  'test/agent/supervisor/engine.spec.ts': 10,
  'test/architecture/migrations.spec.ts': 10,
  'test/e2e/2-inventory/slurm-inventory/slurm-inventory.spec.ts': 10,
  'test/e2e/4-serving/lifecycle-events/worker-starts.spec.ts': 10,
  'test/e2e/5-traffic/chat/passing-through.spec.ts': 10,
  'test/e2e/7-cloud/plugins/publishing.spec.ts': 10,
  'test/security/13-fuzzing.spec.ts': 10,
  'src/2-inventory/slurm/values/hostlist.spec.ts': 9,
  'src/agent/store/directory-store.spec.ts': 9,
  'test/agent/criu/dump-and-restore.spec.ts': 9,
  'test/architecture/migration-generate.spec.ts': 9,
  'test/e2e/1-platform/database/migrations-under-traffic.spec.ts': 9,
  'test/e2e/2-inventory/cluster-sync/cluster-sync.spec.ts': 9,
  'test/e2e/2-inventory/slurm/slurm-jobs.spec.ts': 9,
  'test/e2e/5-traffic/chat/stopping.spec.ts': 9,
  'test/e2e/5-traffic/routes/state.spec.ts': 9,
  'src/1-platform/common/json/json-in-slices.spec.ts': 8,
  'test/console/scale.spec.ts': 8,
  'test/docker/dashboards.spec.ts': 8,
  'test/e2e/1-platform/database/upgrade.spec.ts': 8,
  'test/e2e/1-platform/http/outage.spec.ts': 8,
  'test/e2e/1-platform/kept-json/pages.spec.ts': 8,
  'test/e2e/3-checkpointing/restores/large.spec.ts': 8,
  'test/e2e/4-serving/artifacts/registering.spec.ts': 8,
  'test/e2e/4-serving/retention-policies/racing.spec.ts': 8,
  'test/e2e/5-traffic/chat/hard-cases.spec.ts': 8,
  'test/e2e/6-insight/time-series/backlog.spec.ts': 8,
  'test/e2e/6-insight/time-series/real-prometheus.spec.ts': 8,
  'test/e2e/7-cloud/instances/secrets.spec.ts': 8,
  'test/security/10-secrets.spec.ts': 8,
  'test/security/11-injection.spec.ts': 8,
  'test/security/24-malformed-requests.spec.ts': 8,
  'test/security/34-patterns.spec.ts': 8,
  'test/security/37-supply-chain.spec.ts': 8,
  'src/5-traffic/chat/workers/answer-readers.spec.ts': 7,
  'test/agent/commands/inspect-and-check.spec.ts': 7,
  'test/architecture/unscoped-statements.spec.ts': 7,
  'test/cli/terminal.spec.ts': 7,
  'test/e2e/1-platform/http/drain.spec.ts': 7,
  'test/e2e/1-platform/http/problems.spec.ts': 7,
  'test/e2e/1-platform/outbound/worker-client.spec.ts': 7,
  'test/e2e/3-checkpointing/checkpoints/moves.spec.ts': 7,
  'test/e2e/3-checkpointing/files/files.spec.ts': 7,
  'test/e2e/3-checkpointing/policies/max-checkpoints.spec.ts': 7,
  'test/e2e/4-serving/artifacts/listing.spec.ts': 7,
  'test/e2e/4-serving/retention-policies/runs.spec.ts': 7,
  'test/e2e/5-traffic/chat/failing-workers.spec.ts': 7,
  'test/e2e/5-traffic/chat/queueing.spec.ts': 7,
  'test/e2e/5-traffic/fleets/fleets.spec.ts': 7,
  'test/e2e/7-cloud/instances/types.spec.ts': 7,
  'test/plans/statement-plans.spec.ts': 7,
};

const TURNS = 3;

/** By its path, the turn of a slow file. Each turn takes about as long as the others. */
function turnsOf(seconds) {
  const sums = Array(TURNS).fill(0);
  const turns = new Map();
  for (const [file, each] of Object.entries(seconds).sort(([, one], [, other]) => other - one)) {
    const turn = sums.indexOf(Math.min(...sums));
    sums[turn] += each;
    turns.set(file, turn + 1);
  }
  return turns;
}

/**
 * @param turn from 1 on, or `all`
 * @returns the slow files that this turn leaves to others
 */
function filesOfOtherTurns(turn) {
  if (turn === 'all') return [];
  if (![...Array(TURNS).keys()].includes(Number(turn) - 1))
    throw new Error(`TEST_TURN must be a number up to ${TURNS}, or all`);
  return [...turnsOf(SECONDS)].flatMap(([file, own]) => (own === Number(turn) ? [] : [file]));
}

const missingFiles = () => Object.keys(SECONDS).filter((file) => !existsSync(resolve(ROOT, file)));

module.exports = { SECONDS, TURNS, filesOfOtherTurns, missingFiles };
