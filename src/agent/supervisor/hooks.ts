import { spawn } from 'node:child_process';
import { AgentFailure } from '../failures';
import { ownEnvironment } from '../own-environment';

/** A hook that takes longer is killed. */
const HOOK_SECONDS = 60;
const KEPT_CHARACTERS = 2000;
const KEPT_LINES = 10;

/**
 * Runs a hook: a shell command of whoever runs the workload, as `--quiesce` and `--resume` give it. It has
 * the workload's process id and name in its environment.
 * @throws AgentFailure `quiesce_failed`
 */
export async function runHook(command: string, workload: { pid: number; name: string }): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  let printed = '';
  const child = spawn('sh', ['-c', command], {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    env: { ...ownEnvironment(), CCP_WORKLOAD_PID: String(workload.pid), CCP_WORKLOAD_NAME: workload.name },
  });
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => (printed = (printed + text).slice(-KEPT_CHARACTERS)));
  const timer = setTimeout(() => {
    resolve(`took longer than ${HOOK_SECONDS} seconds`);
    // The shell and all that it started.
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  }, HOOK_SECONDS * 1000);
  child.once('error', reject);
  // Not 'close': what the hook leaves running may hold the pipes.
  child.once('exit', (code, signal) => resolve(code === 0 ? '' : `ended with ${signal ?? code}`));
  try {
    const problem = await promise;
    if (problem !== '')
      throw new AgentFailure({
        cause: 'quiesce_failed',
        message: `The hook "${command}" ${problem}.`,
        log: printed.split('\n').filter(Boolean).slice(-KEPT_LINES),
      });
  } finally {
    clearTimeout(timer);
    child.stdout.destroy();
    child.stderr.destroy();
  }
}
