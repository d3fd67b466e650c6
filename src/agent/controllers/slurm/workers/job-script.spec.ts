import { spawnSync } from 'node:child_process';
import { optionsFor, scriptOf } from './job-script';

describe('The batch script of a worker', () => {
  it('runs the program as it is named, with the order on its standard input', () => {
    const words = ["it's", '$HOME `id`', '"x"', ''];
    const order = { uid: 'u', command: ['serve', "CCP_AGENT_ORDER\nit's $(id)"], variables: { A: '`b`' } };
    // What stands in for ccp-agent prints what it got.
    const program = ['sh', '-c', 'cat; printf "%s|" "$@"', 'sh', ...words];
    const { stdout } = spawnSync('sh', ['-s'], { input: scriptOf(program, order), encoding: 'utf8' });
    expect(stdout).toBe(`${JSON.stringify(order)}\n${[...words, 'run', '--standby', ''].join('|')}`);
  });

  it('asks for what the profile names, and for nothing else', () => {
    expect(optionsFor({ cpus: 2, memoryMib: 4_096, gpus: 1 })).toEqual([
      '--cpus-per-task=2',
      '--mem=4096M',
      '--gres=gpu:1',
    ]);
    expect(optionsFor({ cpus: undefined, memoryMib: undefined, gpus: undefined })).toEqual([]);
  });
});
