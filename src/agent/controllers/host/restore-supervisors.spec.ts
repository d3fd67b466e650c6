import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '../../../../test/support/eventually';
import { RestoreSupervisors } from './restore-supervisors';

const ORDER = { uid: 'a01228a1-b05b-4ea2-860c-b02d913150b5', name: 'count', restore: '/store/1' };

describe('Supervisors for restores', () => {
  let directory: string;
  let supervisors: RestoreSupervisors;

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'ccp-restores-'));
    // Each says that it is there, and keeps the order that it gets.
    const script = `echo $$ > ${directory}/$$.pid; read -r order; echo "$order" > ${directory}/$$.order`;
    supervisors = new RestoreSupervisors(['/bin/sh', '-c', script], join(directory, 'logs'), true);
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const numbersOf = (end: string): number[] =>
    readdirSync(directory)
      .filter((name) => name.endsWith(end) && readFileSync(join(directory, name), 'utf8').endsWith('\n'))
      .map(parseFloat);
  const orderOf = async (pid: number): Promise<unknown> => {
    await eventually(() => expect(numbersOf('.order')).toContain(pid));
    return JSON.parse(readFileSync(join(directory, `${pid}.order`), 'utf8'));
  };
  /** Before this process can notice it. */
  const killAtOnce = (pid: number): void => {
    process.kill(pid, 'SIGKILL');
    while (existsSync(`/proc/${pid}/fd/0`));
  };

  it('give the next restore to the one that stands by', async () => {
    supervisors.prepare(0);
    await eventually(() => expect(numbersOf('.pid')).toHaveLength(1));
    const [standing] = numbersOf('.pid');
    const { child } = await supervisors.start(ORDER);
    expect(child.pid).toBe(standing);
    expect(await orderOf(standing!)).toEqual(ORDER);
  });

  it('give it to another one if that was killed a moment ago', async () => {
    supervisors.prepare(0);
    await eventually(() => expect(numbersOf('.pid')).toHaveLength(1));
    const [standing] = numbersOf('.pid');
    killAtOnce(standing!);
    const { child } = await supervisors.start(ORDER);
    expect(child.pid).not.toBe(standing);
    expect(await orderOf(child.pid!)).toEqual(ORDER);
  });

  it('fail if none can be started', async () => {
    writeFileSync(join(directory, 'program'), '');
    const none = new RestoreSupervisors([join(directory, 'program')], join(directory, 'logs'), false);
    await expect(none.start(ORDER)).rejects.toThrow();
  });
});
