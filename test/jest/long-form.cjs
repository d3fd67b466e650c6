/**
 * What only `npm run test:long` runs: files, and tests of a file by their titles. The short form shows every
 * statement once. These repeat it in more combinations, with more kills, or with more rows.
 */
const ONLY_LONG = {
  // Kills at each of many points. The short form has one of them, or the same rule within one process.
  'test/agent/host/killed.spec.ts': /./,
  'test/agent/store/killed.spec.ts': /./,
  'test/agent/workers/killed-controller.spec.ts': /at any of eight points/,
  'test/reliability/03-budget-crashes.spec.ts': /loses at most the usage/,
  'test/reliability/22-news.spec.ts': /even if the notification is lost/,
  'test/process/start-and-stop.spec.ts': /of the service alone|arrives (300|700|1300|1800) ms/,

  // States of pages, which test/console/states.spec.ts shows for all of them, and further views of a page.
  'test/console/behaviour.spec.ts': /says so with a command, or offers|shows that it loads, accessibly/,
  'test/console/cloud.spec.ts': /shows a failure with its code/,
  'test/console/experiments.spec.ts': /say who may end them|(thin|linked)\S* shows what/,
  'test/console/insight.spec.ts': /(costs-by-day|tokens) shows what/,
  'test/console/metrics.spec.ts': /show that there are no metrics|metrics-(table|long) shows what/,
  'test/console/models.spec.ts': /(starts|retention) shows what/,
  'test/console/pages.spec.ts':
    /(failed-operations|overlapping-operation|silent-cluster|slurm-cluster|slurm-job) shows what/,
  'test/console/policies.spec.ts': /tells nothing yet|polic(ies-table|y-matches) shows what/,
  'test/console/slurm.spec.ts': /shows a failure with its code|slurm-(load-of-\S+|load-table|past-\S+) shows what/,

  // Further storages, nodes, shells and pages for what one of them shows.
  'test/agent/slurm/real-slurm.spec.ts':
    /keeps a job away|leaves no instruction|brings back a task|ends what it was asked/,
  'test/agent/slurm/workers.spec.ts': /are found again|that Slurm lets wait/,
  'test/agent/store/service-store.spec.ts':
    /protocol of S3 (?!opens on another|keeps many files|is one tar|offers nothing|repeats transfers|says store_failed)/,
  'test/agent/workers/workers.spec.ts': /start cold if they|leave no bytes/,
  'test/e2e/2-inventory/cluster-sync/cluster-sync.spec.ts': /accepts 20,000 pods/,
  'test/e2e/2-inventory/legacy-jobs/jobs.spec.ts': /ends a page at 16 MiB/,
  'test/e2e/2-inventory/maintenance-windows/maintenance-windows.spec.ts': /ends a page when it is full/,
  'test/e2e/2-inventory/slurm-inventory/slurm-inventory.spec.ts': /before an answer is too large.*\(partitions\)/,
  'test/e2e/3-checkpointing/files/files.spec.ts': /protocol of S3 (?!are stored and fetched|are listed in order)/,
  'test/e2e/6-insight/analytics/rollups.spec.ts': /in any time zone of the session/,
  'test/e2e/6-insight/cost-reports/additivity.spec.ts': /of the seed (?!1 )/,
  'test/e2e/7-cloud/plugins/storages.spec.ts': /protocol of S3 (?!files are available once|the address of a file)/,
  'test/guides/guides.spec.ts': /guides\/(agents-host|agents-slurm|costs|sleep-and-wake)\.md works/,
  // Needs tables that are large enough to be read by their indexes.
  'test/plans/statement-plans.spec.ts': /by an index|reach few rows/,
  'test/process/demo.spec.ts': /fills the pages/,
  'test/process/token-command.spec.ts':
    /by its name|limited to it|prints its usage for (?!no role)|for each of several concurrent/,
};

const LEFT_OUT = '(skipped in the short form)';

/** @returns which titles the short form leaves out; undefined if it runs the whole file */
function leftOutOf(path) {
  if (process.env.TEST_FORM === 'long') return undefined;
  const file = Object.keys(ONLY_LONG).find((one) => path.endsWith(`/${one}`));
  return file && ONLY_LONG[file];
}

const titleOf = ({ name, parent }) => (parent ? `${titleOf(parent)} ${name}`.trimStart() : '');

const testsIn = (block) => block.children.flatMap((one) => (one.type === 'describeBlock' ? testsIn(one) : [one]));

/** Skips tests of a file before they run. @param root the outermost block of jest-circus */
function leaveOut(root, titles) {
  const left = testsIn(root).filter((test) => titles.test(titleOf(test)));
  // A test that was renamed would come back into the short form.
  if (left.length === 0) throw new Error(`test/jest/long-form.cjs: no test of this file matches ${titles}`);
  for (const test of left.filter(({ mode }) => mode !== 'skip')) {
    test.mode = 'skip';
    test.name = `${test.name} ${LEFT_OUT}`;
  }
}

module.exports = { leftOutOf, leaveOut };
