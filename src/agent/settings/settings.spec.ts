import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { readSettings } from './settings';

describe('The settings of the agent', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'agent-settings-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  const file = (document: unknown): string => {
    const path = join(directory, 'settings.json');
    writeFileSync(path, typeof document === 'string' ? document : JSON.stringify(document));
    return path;
  };

  it('come from flags, then from the environment, then from the file', () => {
    const config = file({ url: 'http://file', stateDir: '/file', store: '/file/store', parallelDumps: 7 });
    const environment = { CCP_URL: 'http://environment/', CCP_STATE_DIR: '/environment', CCP_STORE: '' };
    expect(readSettings({ config, url: 'http://flag' }, environment)).toEqual({
      url: 'http://flag',
      stateDir: '/environment',
      store: '/file/store',
      storeKeyFile: undefined,
      verify: 'changed',
      parallelDumps: 7,
      token: undefined,
      tokenFile: undefined,
    });
    expect(readSettings({ config }, environment).url).toBe('http://environment');
  });

  it('have defaults for everything', () => {
    expect(readSettings({}, { XDG_STATE_HOME: '/var/state' })).toEqual({
      url: 'http://127.0.0.1:3000',
      stateDir: '/var/state/ccp-agent',
      store: '/var/state/ccp-agent/store',
      storeKeyFile: undefined,
      verify: 'changed',
      parallelDumps: availableParallelism(),
      token: undefined,
      tokenFile: undefined,
    });
  });

  it('keep the word service for the store', () => {
    expect(readSettings({ store: 'service' }, {}).store).toBe('service');
  });

  it.each([
    ['an invalid address', { url: 'nowhere' }],
    ['an address with a password', { url: 'http://a:b@host' }],
    ['no dumps at all', { parallelDumps: '0' }],
    ['half a dump', { parallelDumps: '1.5' }],
    ['another verification than those that there are', { verify: 'never' }],
    ['a file that is not there', { config: '/nowhere/at/all' }],
  ])('refuse %s', (_, flags) => {
    expect(() => readSettings(flags, {})).toThrow(
      expect.objectContaining({ facts: expect.objectContaining({ cause: 'invalid_setting' }) }),
    );
  });

  it.each([
    ['text that is not JSON', '{'],
    ['a list', []],
    ['a member that nobody knows', { state_dir: '/x' }],
    ['a member that is not a text', { url: {} }],
  ])('refuse a file with %s', (_, document) => {
    expect(() => readSettings({ config: file(document) }, {})).toThrow('settings file');
  });

  it('have the token from the environment only', () => {
    const settings = readSettings({ tokenFile: '/run/token' }, { CCP_TOKEN: 'secret' });
    expect(settings).toMatchObject({ token: 'secret', tokenFile: '/run/token' });
    expect(() => readSettings({ config: file({ token: 'secret' }) }, {})).toThrow('"token"');
  });
});
