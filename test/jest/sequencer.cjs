const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * Files that take longer than their size suggests, the longest first. In a fresh clone jest knows no times,
 * and starts large files first: one of these might be the last, while the other worker is idle.
 */
const LONG = [
  'test/guides/guides.spec.ts',
  'test/agent/slurm/real-slurm.spec.ts',
  'test/agent/slurm/workers.spec.ts',
  'test/agent/host/machines.spec.ts',
  'test/console/cloud.spec.ts',
  'test/agent/store/service-store.spec.ts',
  'test/agent/supervisor/checkpoint.spec.ts',
  'test/agent/workers/workers.spec.ts',
  'test/console/slurm.spec.ts',
  'test/console/states.spec.ts',
  'test/e2e/4-serving/fleet-simulation/totals.spec.ts',
  'test/e2e/6-insight/time-series/backlog.spec.ts',
  'test/e2e/6-insight/analytics/rollups.spec.ts',
  'test/e2e/7-cloud/plugins/storages.spec.ts',
  'test/e2e/7-cloud/plugins/directory.spec.ts',
  'test/e2e/2-inventory/cluster-sync/cluster-sync.spec.ts',
  'test/e2e/4-serving/fleet-simulation/fleet.spec.ts',
  'test/e2e/2-inventory/maintenance-windows/maintenance-windows.spec.ts',
  'test/agent/host/killed.spec.ts',
  'test/agent/supervisor/launch.spec.ts',
];

module.exports = class LongestFirst extends Sequencer {
  sort(tests) {
    const place = ({ path }) => {
      const at = LONG.findIndex((file) => path.endsWith(`/${file}`));
      return at === -1 ? LONG.length : at;
    };
    return super.sort(tests).sort((one, other) => place(one) - place(other));
  }
};
