import type { Logger } from 'pino';
import { runEffects } from './effects';
import { AfterCommit, InTransaction } from './observers';
import type { Tx } from './tx';

const tx = {} as Tx;

function recordingLogger() {
  const logged: unknown[] = [];
  const error = ({ err }: { err: unknown }) => void logged.push(err);
  return { logged, logger: { error } as unknown as Logger };
}

describe('effects of a commit', () => {
  it('all run, and their errors are logged and do not reach the caller', async () => {
    const { logged, logger } = recordingLogger();
    const thrown = new Error('thrown');
    const rejected = new Error('rejected');
    const ran: string[] = [];
    await runEffects(
      [
        () => {
          throw thrown;
        },
        () => Promise.reject(rejected),
        () => void ran.push('the last one'),
      ],
      logger,
    );
    expect(ran).toEqual(['the last one']);
    expect(logged).toEqual([thrown, rejected]);
  });
});

describe('notifications', () => {
  class Changed extends InTransaction<string> {}
  class Committed extends AfterCommit<string> {}

  it('notifications inside a transaction reach observers in turn, and end at the first error', async () => {
    const seen: string[] = [];
    const changed = new Changed([
      { observe: (_tx, notice) => Promise.resolve(void seen.push(`first ${notice}`)) },
      { observe: () => Promise.reject(new Error('refused')) },
      { observe: (_tx, notice) => Promise.resolve(void seen.push(`third ${notice}`)) },
    ]);
    await expect(changed.notify(tx, 'pod')).rejects.toThrow('refused');
    expect(seen).toEqual(['first pod']);
  });

  it('notifications after a commit reach all observers, and never fail', async () => {
    const { logged, logger } = recordingLogger();
    const seen: string[] = [];
    const refused = new Error('refused');
    const observers = [
      { committed: () => Promise.reject(refused) },
      { committed: (notice: string) => Promise.resolve(void seen.push(notice)) },
    ];
    await new Committed(observers, logger).notify('profile');
    expect(seen).toEqual(['profile']);
    expect(logged).toEqual([refused]);
  });
});
