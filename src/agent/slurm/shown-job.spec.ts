import { StubSlurm } from '../../../test/agent/slurm/stub-slurm';
import { isForgotten } from './shown-job';

describe('A job that Slurm', () => {
  let slurm: StubSlurm;

  beforeEach(() => (slurm = new StubSlurm()));
  afterEach(() => slurm.remove());

  it('shows is not forgotten, whatever its state is', async () => {
    slurm.prints('scontrol', 'show job 7', 'JobId=7 JobName=count\n   JobState=FAILED\n');
    expect(await isForgotten(7)).toBe(false);
  });

  it('does not know is forgotten', async () => {
    slurm.fails('scontrol', 'show job 7', 'slurm_load_jobs error: Invalid job id specified');
    expect(await isForgotten(7)).toBe(true);
  });

  it.each([
    'slurm_load_jobs error: Unable to contact slurm controller (connect failure)',
    'slurm_load_jobs error: Access/permission denied',
    '',
  ])('does not show is not forgotten if it says no more than: %s', async (error) => {
    slurm.fails('scontrol', 'show job 7', error);
    await expect(isForgotten(7)).rejects.toThrow();
  });
});
