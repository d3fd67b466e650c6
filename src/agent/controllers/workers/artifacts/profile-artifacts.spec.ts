import type { MachineFacts } from '../../../machine/machine-facts';
import { ServiceProblem } from '../../../service/problems';
import type { ClusterContext } from '../../common/cluster-context';
import type { Profile, WorkerSpec } from '../profile/worker-spec';
import type { ArtifactStores } from './artifact-stores';
import { machineOf, ProfileArtifacts, type Failed } from './profile-artifacts';
import { MACHINE_FACTS } from '../../../../../test/support/machine-facts';

const FACTS: MachineFacts = {
  ...MACHINE_FACTS,
  cpuFlags: ['avx'],
  libc: '',
  cgroupMode: 'none',
  kernelFeatures: [],
  gpus: ['NVIDIA L4'],
};

const NOTHING: Failed = { isRefused: () => false, isCopyRefused: () => false };

describe('What a worker is restored from', () => {
  const id = '01980000-0000-7000-8000-00000000000a';
  const best = (failed: Failed, takesCopies = true) => {
    const uri = `service:${id}`;
    const artifact = { ...{ artifact_id: 'a', uri, checkpoint_mode: 'criu' }, metadata: { checkpoint_id: id } };
    const send = () => Promise.resolve([{ artifact, restorable: true }]);
    const manifest = (reference: string) => Promise.resolve({ reference, workload: { command: ['engine'] } });
    const stores = {
      takesCopies,
      open: () => Promise.resolve({ manifest }),
      find: () => manifest('/store/copy'),
    } as unknown as ArtifactStores;
    const context = { service: { send } } as unknown as ClusterContext;
    const artifacts = new ProfileArtifacts(context, stores, undefined, undefined);
    const spec = { command: ['engine'], network: 'host' } as unknown as WorkerSpec;
    return artifacts.best({ profile_id: 'p' } as Profile, spec, failed);
  };

  it('is the copy that is nearer than the original', async () => {
    expect(await best(NOTHING)).toMatchObject({ artifactId: 'a', reference: '/store/copy', isCopy: true });
  });

  it.each([
    ['other machines do not see the copy', NOTHING, false],
    ['the copy has failed', { ...NOTHING, isCopyRefused: () => true }, true],
  ])('is the original if %s', async (_case, failed, takesCopies) => {
    const source = await best(failed, takesCopies);
    expect([source?.reference, source?.isCopy]).toEqual([`service:${id}`, undefined]);
  });

  it('is nothing if the artifact has failed', async () => {
    expect(await best({ ...NOTHING, isRefused: () => true })).toBeUndefined();
  });
});

describe('What fits a machine', () => {
  /** @param refuses members that the service does not know. @returns the machines it was asked for */
  const asked = async (refuses: readonly string[]): Promise<unknown[]> => {
    const machines: unknown[] = [];
    const POST = (_path: string, { body }: { body: { machine?: object } }) => {
      machines.push(body.machine);
      if (Object.keys(body.machine ?? {}).some((member) => refuses.includes(member)))
        throw new ServiceProblem('lookup_artifacts', 400, 'validation_failed', 'an unknown member');
      return [];
    };
    const service = {
      send: (_name: string, call: (api: unknown) => unknown) => Promise.resolve().then(() => call({ POST })),
    };
    const context = { service } as unknown as ClusterContext;
    const machine = () => Promise.resolve(FACTS);
    const artifacts = new ProfileArtifacts(context, {} as ArtifactStores, undefined, machine);
    expect(await artifacts.best({ profile_id: 'p' } as Profile, {} as WorkerSpec, NOTHING)).toBeUndefined();
    return machines;
  };
  const known = { architecture: 'x86_64', page_size: 4096, criu: '4.2.1', cpu_flags: ['avx'] };
  const newer = { kernel_features: [], gpus: ['NVIDIA L4'], gpu_driver: '565.57', image_digest: 'sha256:a' };

  it('is asked for with all that is known of it, and with nothing that is not', async () => {
    expect(machineOf(FACTS)).toEqual({ ...known, ...newer });
    expect(machineOf({ ...FACTS, kernelFeatures: undefined, gpus: undefined, imageDigest: '', gpuDriver: '' })).toEqual(
      known,
    );
    expect(await asked([])).toEqual([{ ...known, ...newer }]);
  });

  it('is asked for with what an older service knows', async () => {
    expect(await asked(['gpus'])).toEqual([{ ...known, ...newer }, known]);
    expect(await asked(['gpus', 'criu'])).toEqual([{ ...known, ...newer }, known, undefined]);
  });
});
