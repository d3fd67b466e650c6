import { v7 } from 'uuid';
import { jobOfThisProcess, workloadOfJob } from './job-identity';
import { instructionIn, isDiscarded, isFollowed, sinceOf, withInstruction } from './restore-instruction';

const INSTRUCTION = {
  reference: '/shared/check points/checkpoints/0199d3a4-7c7e-7d55-9d6c-3f1f1c1b7a10',
  uid: '7f7a2f5e-9b53-4c56-8d4e-0a5b3f7a1c11',
  run: 2,
  at: '2026-11-23T04:00:00.000Z',
  excluded: 'n1',
};

const BY_HAND = 'a01228a1-b05b-4ea2-860c-b02d913150b5';
const byHand = (createdAt: string) => ({ id: BY_HAND, createdAt });

describe('the instruction in the AdminComment of a job', () => {
  it('is read as it was written, in one word', () => {
    const comment = withInstruction('', INSTRUCTION);
    expect(comment).not.toMatch(/\s/);
    expect(instructionIn(comment)).toEqual(INSTRUCTION);
  });

  it('allows what differs only if it says so', () => {
    const allowing = { ...INSTRUCTION, allowIncompatible: true };
    expect(instructionIn(withInstruction('', allowing))).toEqual(allowing);
    const other = { ...INSTRUCTION, allowIncompatible: 'yes' } as unknown as typeof INSTRUCTION;
    expect(instructionIn(withInstruction('', other))).toEqual(INSTRUCTION);
  });

  it('replaces an earlier one, and leaves the words of others', () => {
    const first = withInstruction('seen by ops', { ...INSTRUCTION, run: 1 });
    const second = withInstruction(`${first} twice`, INSTRUCTION);
    expect(instructionIn(second)).toEqual(INSTRUCTION);
    expect(second.match(/ccp-agent-restore=/g)).toHaveLength(1);
    expect(second).toMatch(/^seen by ops twice /);
  });

  it.each(['', 'words', 'ccp-agent-restore=%', 'ccp-agent-restore=1', 'ccp-agent-restore=%7B%22uid%22%3A1%7D'])(
    'is not found in %j',
    (comment) => expect(instructionIn(comment)).toBeUndefined(),
  );

  it('is followed by the run that it is meant for, whatever checkpoints there are', () => {
    expect(isFollowed(INSTRUCTION, 2, byHand('2026-11-23T05:00:00.000Z'))).toBe(true);
    expect(isFollowed(INSTRUCTION, 1, undefined)).toBe(false);
  });

  it('is followed by later runs until the job has a newer checkpoint', () => {
    expect(isFollowed(INSTRUCTION, 3, undefined)).toBe(true);
    expect(isFollowed(INSTRUCTION, 3, byHand('2026-11-23T03:00:00.000Z'))).toBe(true);
    expect(isFollowed(INSTRUCTION, 3, byHand('2026-11-23T05:00:00.000Z'))).toBe(false);
  });

  describe('that the service has a time of', () => {
    const asked = Date.parse('2026-11-23T04:00:00.000Z');
    const idAt = (ms: number) => v7({ msecs: ms });
    const since = sinceOf(idAt(asked), `/store/checkpoints/${idAt(asked - 60_000)}`)!;
    const given = { ...INSTRUCTION, since };

    it.each([
      ['behind', '2020-01-01T00:00:00.000Z'],
      ['ahead', '2040-01-01T00:00:00.000Z'],
    ])('is followed until the job has a newer checkpoint, though the clock of its node is %s', (_, createdAt) => {
      expect(isFollowed(given, 3, { id: idAt(asked - 1_000), createdAt })).toBe(true);
      expect(isFollowed(given, 3, { id: idAt(asked + 1_000), createdAt })).toBe(false);
    });

    it('is followed by a later run of a move, whose own checkpoint was made with its request', () => {
      const move = { ...INSTRUCTION, since: sinceOf(idAt(asked), `service:${idAt(asked + 1)}`)! };
      expect(isFollowed(move, 3, { id: idAt(asked + 1), createdAt: '2026-11-23T05:00:00.000Z' })).toBe(true);
    });

    it('is found again in the comment, and is not there if the service did not make the ids', () => {
      expect(instructionIn(withInstruction('', given))).toEqual(given);
      expect(sinceOf(BY_HAND, `/store/checkpoints/${BY_HAND}`)).toBeUndefined();
    });
  });
});

describe('a checkpoint beside an instruction', () => {
  const [preempted, other] = [true as const, BY_HAND];

  it.each([
    ['a run before the one that restores', { jobRun: 1 }],
    ['an older supervisor, before its end, that followed no instruction', { preempted, uid: other }],
  ])('is discarded if it was taken by %s', (_who, workload) => {
    expect(isDiscarded(INSTRUCTION, workload)).toBe(true);
  });

  it.each([
    ['the run that restores', { jobRun: 2, preempted, uid: other }],
    ['a later run', { jobRun: 3, uid: other }],
    ['an older supervisor, before its end, that followed the instruction', { preempted, uid: INSTRUCTION.uid }],
    ['an older supervisor at any other time', { uid: other }],
  ])('counts if it was taken by %s', (_who, workload) => {
    expect(isDiscarded(INSTRUCTION, workload)).toBe(false);
  });
});

describe('a process in a job', () => {
  it('knows the job, and how often it was requeued', () => {
    const env = { SLURM_JOB_ID: '4711', SLURM_CLUSTER_NAME: 'hpc' };
    expect(jobOfThisProcess(env)).toEqual({ jobId: 4711, cluster: 'hpc', restarts: 0 });
    expect(jobOfThisProcess({ ...env, SLURM_RESTART_COUNT: '2' })?.restarts).toBe(2);
    expect(jobOfThisProcess({})).toBeUndefined();
  });

  it('has a name that is valid whatever the cluster is called', () => {
    expect(workloadOfJob({ cluster: 'hpc', jobId: 4711 })).toEqual({ namespace: 'slurm-hpc', name: 'job-4711' });
    expect(workloadOfJob({ cluster: '', jobId: 1 }).namespace).toBe('slurm');
    const long = workloadOfJob({ cluster: `My_Cluster.${'x'.repeat(80)}`, jobId: 1 }).namespace;
    expect(long).toMatch(/^slurm-my-cluster-x+$/);
    expect(long).toHaveLength(63);
  });
});
