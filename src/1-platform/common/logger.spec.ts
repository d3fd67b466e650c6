import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const PROJECT = join(__dirname, '../../..');

describe('the logger', () => {
  /** What standard error gets of one line, from a process of its own. */
  async function written(logPretty: boolean): Promise<string> {
    const script = `import { createLoggerFor } from './src/1-platform/common/logger';
      void createLoggerFor({ logLevel: 'info', logPretty: ${logPretty} }).then((logger) => {
        logger.info({ code: 'validation_failed' }, 'a request was refused');
        process.exit(0);
      });`;
    const { stdout, stderr } = await promisify(execFile)(join(PROJECT, 'node_modules/.bin/tsx'), ['-e', script], {
      cwd: PROJECT,
    });
    expect(stdout).toBe('');
    return stderr;
  }

  it('writes JSON lines', async () => {
    expect(JSON.parse(await written(false))).toEqual({
      level: 'info',
      time: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
      code: 'validation_failed',
      msg: 'a request was refused',
    });
  });

  it('writes lines for people with LOG_PRETTY, without colours where no terminal reads them', async () => {
    expect(await written(true)).toMatch(
      /^\[\d\d:\d\d:\d\d\.\d{3}\] INFO: a request was refused \{"code":"validation_failed"\}\n$/,
    );
  });
});
