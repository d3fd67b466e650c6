import { downloadCommand, installCommand, mainCommand, uploadCommands } from './install-commands';

const AT = 'http://127.0.0.1:3000';
const NOTHING = { arch: undefined, build: undefined };

describe('commands that install plugins', () => {
  it('name an architecture and a build only if they are not the default', () => {
    expect(installCommand(AT, '/v1/install', NOTHING)).toBe(`curl -fsSL ${AT}/v1/install | sh`);
    expect(installCommand(AT, '/v1/install/slurm', { arch: 'amd64', build: 'release' })).toBe(
      `curl -fsSL ${AT}/v1/install/slurm | sh`,
    );
    expect(installCommand(AT, '/v1/install', { arch: 'arm64', build: 'alpha' })).toBe(
      `curl -fsSL '${AT}/v1/install?arch=arm64&build=alpha' | sh`,
    );
    expect(mainCommand(AT, { arch: 'arm64', build: undefined })).toContain(`'${AT}/v1/download?arch=arm64'`);
  });

  it('download one version of a file, whatever its name has', () => {
    expect(downloadCommand(AT, 'lib/criu.so', '4.1.0', NOTHING)).toBe(
      `curl -fsSL -o criu.so '${AT}/v1/plugins/download/lib%2Fcriu.so?version=4.1.0'`,
    );
  });

  it('upload a file to each address, in quotes of the shell', () => {
    expect(uploadCommands("it's", ['https://s/x?sig=a&b', 'https://s/y'])).toBe(
      `curl -fsS -T 'it'\\''s' 'https://s/x?sig=a&b'\ncurl -fsS -T 'it'\\''s' https://s/y`,
    );
  });
});
