import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { Access } from './access';

describe('access to Kubernetes', () => {
  let directory: string;
  beforeEach(() => (directory = mkdtempSync(join(tmpdir(), 'access-'))));
  afterEach(() => rmSync(directory, { recursive: true }));

  const failureOf = (kubeconfig: string): string => {
    try {
      Access.load({ kubeconfig });
    } catch (error) {
      return inspect(error, { depth: Infinity });
    }
    throw new Error('it is read');
  };

  it('does not quote a kubeconfig that cannot be parsed', () => {
    const file = join(directory, 'kubeconfig');
    writeFileSync(file, 'users:\n- name: a\n  user:\n    token: secret-of-the-cluster\n   broken: [\n');
    const shown = failureOf(file);
    expect(shown).toContain('cannot be read');
    expect(shown).not.toContain('secret-of-the-cluster');
  });

  it('says why a file is not there', () => {
    expect(failureOf(join(directory, 'other'))).toContain('ENOENT');
  });
});
