import { describeWith } from '../support/components';
import type { Organisation } from '../support/service';
import { expectLooks } from './support/looks';
import { seed, type Seeded } from './support/seed';
import { Tabs } from './support/tabs';

/** A page, and words that it shows of the seeded organisation. */
interface Expected {
  readonly name: string;
  readonly path: (seeded: Seeded) => string;
  readonly title: string;
  readonly shows: readonly string[];
}

const PAGES: readonly Expected[] = [
  {
    name: 'overview',
    path: () => '',
    title: 'Overview',
    shows: ['Failed attempts', '2 of 3', 'silent: us-spot-2', 'no space left on device', 'memory_dump'],
  },
  {
    name: 'operations',
    path: () => '/operations',
    title: 'Operations',
    shows: ['train-70b-0', 'Failed', 'no space left on device', 'Running', 'gpu-node-'],
  },
  {
    name: 'failed-operations',
    path: () => '/operations?result=failed&window=24h',
    title: 'Operations',
    shows: ['soft-dirty', 'no space left on device', '3 attempts'],
  },
  {
    name: 'failed-operation',
    path: ({ failedId }) => `/operations/${failedId}`,
    title: 'train-70b-0',
    shows: ['The checkpoint failed in the stage memory_dump', 'no space left on device', 'gpu_dump', '19.8 GB written'],
  },
  {
    name: 'operation',
    path: ({ succeededId }) => `/operations/${succeededId}`,
    title: 'train-7b-1',
    shows: ['Succeeded', 'upload', 'application stopped', 'Restores of this checkpoint', 'driver 570.86', 'usual'],
  },
  {
    name: 'overlapping-operation',
    path: ({ overlappingId }) => `/operations/${overlappingId}`,
    title: 'train-7b-2',
    shows: ['The stages overlap', 'upload_b'],
  },
  {
    name: 'running-operation',
    path: ({ runningId }) => `/operations/${runningId}`,
    title: 'train-70b-1',
    shows: ['Running', 'The node says', 'memory_dump'],
  },
  {
    name: 'clusters',
    path: () => '/clusters',
    title: 'Clusters',
    shows: ['eu-gpu-1', 'hpc-1', 'Silent', 'NotReady: 1'],
  },
  {
    name: 'cluster',
    path: ({ clusterId }) => `/clusters/${clusterId}`,
    title: 'eu-gpu-1',
    shows: ['gpu-node-7', 'NotReady', 'p5.48xlarge', 'no space left on device'],
  },
  {
    name: 'silent-cluster',
    path: ({ silentClusterId }) => `/clusters/${silentClusterId}`,
    title: 'us-spot-2',
    shows: ['This cluster is silent', 'Look at its controller'],
  },
  {
    name: 'slurm-cluster',
    path: ({ slurmClusterId }) => `/clusters/${slurmClusterId}`,
    title: 'hpc-1',
    shows: ['md-relax', 'Slurm jobs of this cluster'],
  },
  {
    name: 'pods',
    path: () => '/workloads',
    title: 'Workloads',
    shows: ['CrashLoopBackOff', 'train-7b-0', 'eu-gpu-1', '12 pods'],
  },
  {
    name: 'pod',
    path: ({ podId }) => `/workloads?open=${podId}`,
    title: 'Workloads',
    shows: ['Never checkpointed', 'Checkpoint …'],
  },
  { name: 'jobs', path: () => '/workloads?tab=jobs', title: 'Workloads', shows: ['train-7b', '6 pods'] },
  {
    name: 'slurm-jobs',
    path: () => '/workloads?tab=slurm',
    title: 'Workloads',
    shows: ['md-relax', 'climate-2x', 'FAILED', 'hpc-1'],
  },
  {
    name: 'slurm-job',
    path: ({ slurmClusterId }) => `/workloads?tab=slurm&open=${slurmClusterId}:4711`,
    title: 'Workloads',
    shows: ['md-relax', 'Newest good checkpoint', 'Restore …'],
  },
  {
    name: 'no-policies',
    path: () => '/policies',
    title: 'Policies',
    shows: ['There is no policy yet', 'no beat was or will be due in this week', 'No active policy is due.'],
  },
  { name: 'no-such-page', path: () => '/nowhere', title: 'No such page', shows: ['Go to the overview'] },
];

describeWith(['Chromium'], 'each page of the console', () => {
  const tabs = new Tabs();
  let org: Organisation;
  let seeded: Seeded;

  beforeAll(async () => {
    const started = await tabs.start();
    org = started.org;
    seeded = await seed(started.service, org);
  });

  it.each(PAGES)(
    '$name shows what there is, in both themes and at both widths',
    async ({ name, path, title, shows }) => {
      await expectLooks(await tabs.open(org.operator.token), { name, path: path(seeded), title, shows });
    },
  );

  it('show why a pod does not run as a whole word, and end a longer one with its words in a title', async () => {
    const tab = await tabs.open(org.operator.token);
    const { page } = tab;
    /** Of the element with this title. */
    const measured = async (title: string, expression: string): Promise<number> => {
      await page.getByTitle(title).waitFor();
      return page.evaluate<number>(`(one => ${expression})(document.querySelector('[title=${title}]'))`);
    };
    await tab.goto('/workloads');
    expect(await measured('CrashLoopBackOff', 'one.scrollWidth - one.clientWidth')).toBe(0);
    const longer = 'CreateContainerConfigErrorOfAll';
    await page.route('**/v1/pods/paginated?*', async (route) => {
      const response = await route.fetch();
      await route.fulfill({ response, body: (await response.text()).replaceAll('CrashLoopBackOff', longer) });
    });
    await tab.goto('/workloads');
    expect(await measured(longer, 'one.scrollWidth - one.clientWidth')).toBeGreaterThan(0);
    // Its own end is in sight: the cell would cut off what is beyond it, without an ellipsis.
    const beyond = 'one.getBoundingClientRect().right - one.closest("[role=cell]").getBoundingClientRect().right';
    expect(await measured(longer, beyond)).toBeLessThanOrEqual(0);
    expect(tab.faults).toEqual([]);
  });
});
