import { execFile } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import { setImmediate as turnIsOver } from 'node:timers/promises';
import { promisify } from 'node:util';
import { createLogger, LinesOfTurn } from './logger';

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

describe('lines of the log', () => {
  const open = () => {
    const written: string[] = [];
    const ending = new EventEmitter();
    const process = ending as unknown as Pick<NodeJS.Process, 'on'>;
    const lines = new LinesOfTurn({ write: (text: string) => written.push(text) }, process);
    return { written, ending, lines };
  };

  it('are written together when their turn of the event loop is over, in order', async () => {
    const { written, lines } = open();
    lines.write('a\n');
    lines.write('b\n');
    expect(written).toEqual([]);
    await turnIsOver();
    expect(written).toEqual(['a\nb\n']);
    lines.write('c\n');
    await turnIsOver();
    expect(written).toEqual(['a\nb\n', 'c\n']);
  });

  it('are written before the turn is over if there are very many', () => {
    const { written, lines } = open();
    const long = 'x'.repeat(40_000);
    lines.write(long);
    lines.write(long);
    expect(written).toEqual([long + long]);
  });

  it('are written at once when one of them is fatal', () => {
    const { written, lines } = open();
    const logger = createLogger('info', lines);
    logger.info('before');
    logger.fatal('the end');
    expect(written.join('').match(/"msg":"[^"]*"/g)).toEqual(['"msg":"before"', '"msg":"the end"']);
  });

  it('are written when the process ends, also those of its last turn', () => {
    const { written, ending, lines } = open();
    lines.write('why it ends\n');
    ending.emit('exit');
    expect(written).toEqual(['why it ends\n']);
  });
});
