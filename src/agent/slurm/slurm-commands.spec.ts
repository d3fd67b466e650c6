import { AgentFailure } from '../failures';
import { runSlurm, slurmEnvironment, SlurmUnavailable } from './slurm-commands';

const shell = (script: string): Promise<string> => runSlurm('sh', ['-c', script]);

describe("a call of one of Slurm's programs", () => {
  it('gives what it printed', async () => expect(await shell('echo jobs; echo noise >&2')).toBe('jobs\n'));

  it.each([
    'slurm_load_jobs error: Unable to contact slurm controller (connect failure)',
    'slurm_load_jobs error: Socket timed out on send/recv operation',
    'slurm_load_jobs error: Zero Bytes were transmitted or received',
    'slurm_update error: Job update not available right now, the DB index is being set, try again in a bit',
    'slurm_load_jobs error: Protocol authentication error',
    'Munge encode failed: Failed to access /run/munge/munge.socket.2: No such file or directory',
  ])('may succeed later after: %s', async (text) => {
    await expect(shell(`echo '${text}' >&2; exit 1`)).rejects.toThrow(SlurmUnavailable);
  });

  it('may succeed later if a signal ended the program', async () => {
    await expect(shell('kill -9 $$')).rejects.toThrow(SlurmUnavailable);
  });

  it('is refused with the words of Slurm', async () => {
    const call = shell("echo 'Requested operation is presently disabled for job 2' >&2; exit 1");
    await expect(call).rejects.toMatchObject({
      facts: { cause: 'scheduler_refused', message: expect.stringContaining('presently disabled for job 2') },
    });
  });

  it('names a program that is not installed', async () => {
    const call = runSlurm('squeue-of-nobody', []);
    await expect(call).rejects.toThrow(AgentFailure);
    await expect(call).rejects.toThrow('squeue-of-nobody was not found');
  });

  it('passes the token to nobody, and asks for times that need no time zone', () => {
    const env = slurmEnvironment({ CCP_TOKEN: 'secret', CCP_TOKEN_FILE: '/token', PATH: '/bin' });
    expect(env).toEqual({ PATH: '/bin', SLURM_TIME_FORMAT: '%s' });
  });
});
