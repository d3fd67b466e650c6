import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { lockedPackages } from './locked-packages';

/** Row 37 of docs/reliability.md. npm takes seconds to write it. */

const PROJECT = join(__dirname, '../..');

describe('what the project installs from npm', () => {
  it('is listed in an SBOM, with the checksum of each package that the service needs', () => {
    // Without `--omit=dev`, by which npm leaves out what packages of the service and of its tests share.
    const sbom = JSON.parse(
      execFileSync('npm', ['run', '-s', 'sbom'], {
        cwd: PROJECT,
        encoding: 'utf8',
        maxBuffer: 2 ** 25,
        stdio: ['ignore', 'pipe', 'ignore'],
      }),
    ) as { bomFormat: string; components: { name: string; version: string; hashes?: { alg: string }[] }[] };
    expect(sbom.bomFormat).toBe('CycloneDX');
    const listed = new Map(sbom.components.map((one) => [`${one.name}@${one.version}`, one.hashes?.[0]?.alg]));
    const needed = lockedPackages().filter(({ dev, optional, devOptional }) => !dev && !optional && !devOptional);
    expect(needed.length).toBeGreaterThan(50);
    expect(needed.filter(({ name, version }) => listed.get(`${name}@${version}`) !== 'SHA-512')).toEqual([]);
  });
});
