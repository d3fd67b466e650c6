import { execFileSync } from 'node:child_process';
import { quoted, sshCommand } from './shell';

describe('a command that people paste into a shell', () => {
  it('has each text as one word, whatever the text has', () => {
    const texts = ['plain', "it's", '$(touch /tmp/x)', '`id`; id', 'two\nlines', '"', ''];
    const script = `printf '%s\\0' ${texts.map(quoted).join(' ')}`;
    expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0').slice(0, -1)).toEqual(texts);
  });

  it('connects to a machine, and takes no option and no second command from its name', () => {
    expect(sshCommand({ user: 'shadeform', address: '203.0.113.9', port: 2222 })).toBe(
      'ssh -p 2222 shadeform@203.0.113.9',
    );
    expect(sshCommand({ user: 'root', address: '1.2.3.4;id', port: null })).toBe("ssh 'root@1.2.3.4;id'");
    expect(sshCommand({ user: '-oProxyCommand=id', address: 'x', port: null })).toBe('ssh -- -oProxyCommand=id@x');
  });
});
