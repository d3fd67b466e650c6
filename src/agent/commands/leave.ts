import { accessSync, constants, statSync } from 'node:fs';

/**
 * Ends this process although one of its threads waits for a disk: an exit would wait for that thread. Only
 * another program in its place keeps the exit code. Where there is none, as in an image without a shell, the
 * code is that of a killed process: Node aborts if it cannot begin the program.
 */
export function leave(code: number, shell = '/bin/sh'): void {
  if (process.execve && isProgram(shell)) process.execve(shell, ['sh', '-c', `exit ${code}`]);
  process.kill(process.pid, 'SIGKILL');
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}
