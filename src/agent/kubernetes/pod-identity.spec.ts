import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { labelOf, podOfThisProcess } from './pod-identity';

describe('The pod of a process', () => {
  let directory: string;
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'pod-'));
  });
  afterEach(() => rmSync(directory, { recursive: true }));

  const namespaceFile = () => join(directory, 'namespace');

  it('is unknown outside of pods', () => {
    expect(podOfThisProcess({}, namespaceFile())).toBeUndefined();
  });

  it('is what the downward API says, before all else', () => {
    writeFileSync(namespaceFile(), 'other');
    const env = {
      KUBERNETES_SERVICE_HOST: '10.0.0.1',
      CCP_POD_NAME: 'train-0',
      CCP_POD_NAMESPACE: 'training',
      CCP_POD_UID: 'a01228a1-b05b-4ea2-860c-b02d913150b5',
    };
    expect(podOfThisProcess(env, namespaceFile())).toEqual({
      namespace: 'training',
      name: 'train-0',
      uid: 'a01228a1-b05b-4ea2-860c-b02d913150b5',
      workload: 'train-0',
    });
  });

  it('has the name of its host and the namespace of its service account otherwise', () => {
    writeFileSync(namespaceFile(), 'training\n');
    expect(podOfThisProcess({ KUBERNETES_SERVICE_HOST: '10.0.0.1' }, namespaceFile())).toEqual({
      namespace: 'training',
      name: hostname(),
      uid: undefined,
      workload: labelOf(hostname()),
    });
  });

  it('keeps a name that its successor has too', () => {
    const env = { CCP_POD_NAME: 'web-7d4f-x2k', CCP_WORKLOAD_NAME: 'web' };
    expect(podOfThisProcess(env, namespaceFile())).toMatchObject({ namespace: 'default', workload: 'web' });
  });

  it.each([
    ['train-1', 'train-1'],
    ['a.b', /^a-b-[0-9a-f]{8}$/],
    ['x'.repeat(64), /^x{54}-[0-9a-f]{8}$/],
  ])('has a label for the name %s', (name, label) => {
    expect(labelOf(name)).toEqual(typeof label === 'string' ? label : expect.stringMatching(label));
  });

  it('has different labels for names that differ in what a label cannot hold', () => {
    expect(labelOf('a.b')).not.toBe(labelOf('a_b'));
  });
});
