import { StubSlurm } from '../../../test/agent/slurm/stub-slurm';
import { instructionOfJob } from './job-comment';
import { withInstruction, type RestoreInstruction } from './restore-instruction';

const OF_ANOTHER: RestoreInstruction = {
  ...{ reference: '/store/checkpoints/other', uid: 'a01228a1-b05b-4ea2-860c-b02d913150b5' },
  ...{ run: 1, at: '2026-06-01T10:00:00.000Z', excluded: '' },
};
const OWN = { ...OF_ANOTHER, reference: '/store/checkpoints/own' };
const record = (jobId: number, task: number, comment = ''): string =>
  `JobId=${jobId} ArrayJobId=7 ArrayTaskId=${task} JobName=count\n   Restarts=1 BatchFlag=1\n${comment}\n`;
const commented = (instruction: RestoreInstruction) => `   AdminComment=${withInstruction('', instruction)} \n`;

describe('The instruction of a job', () => {
  let slurm: StubSlurm;

  beforeEach(() => (slurm = new StubSlurm()));
  afterEach(() => slurm.remove());

  it('is in its AdminComment', async () => {
    slurm.prints('scontrol', 'show job 7', record(7, 3, commented(OWN)));
    expect(await instructionOfJob(7)).toEqual(OWN);
  });

  it.each([
    ['behind', record(7, 3) + record(71, 2, commented(OF_ANOTHER))],
    ['before', record(71, 2, commented(OF_ANOTHER)) + record(7, 3)],
  ])('is not that of another task of its array, shown %s it', async (_where, shown) => {
    slurm.prints('scontrol', 'show job 7', shown);
    expect(await instructionOfJob(7)).toBeUndefined();
  });

  it('is its own, whatever another task of its array has', async () => {
    const shown = record(71, 2, commented(OF_ANOTHER)) + record(7, 3, commented(OWN));
    slurm.prints('scontrol', 'show job 7', shown);
    expect(await instructionOfJob(7)).toEqual(OWN);
  });

  it('is not taken as missing if Slurm shows only others', async () => {
    slurm.prints('scontrol', 'show job 7', record(71, 2));
    await expect(instructionOfJob(7)).rejects.toMatchObject({ facts: { cause: 'scheduler_refused' } });
  });
});
