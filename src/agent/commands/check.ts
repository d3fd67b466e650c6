import { constants, existsSync } from 'node:fs';
import { access, statfs } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { timestamp } from '../clock';
import { findProgram, findProgramOfCriu } from '../criu/command';
import { Criu } from '../criu/criu';
import { failureOf } from '../failures';
import { EXPOSED_REMEDY, exposureOf } from '../files/exposure';
import { NETWORK_PROGRAMS, NetworkNamespace } from '../network/network-namespace';
import { gpusHere } from '../machine/gpus';
import { findKernelFeatures, KERNEL_FEATURES, type KernelFeature } from '../machine/kernel-features';
import { machineFacts } from '../machine/machine-facts';
import { TokenSource } from '../service/token';
import { SERVICE_STORE, type Settings } from '../settings/settings';
import { StoreKey } from '../store/store-key';
import { requireCapabilities } from '../supervisor/capabilities';
import type { Context } from './context';
import { EXIT } from './output/exit-codes';
import { answer } from './output/output';

interface Line {
  readonly what: string;
  /** `missing`: checkpoints do not work without it. `limited`: a part of them does not. */
  readonly state: 'good' | 'limited' | 'missing';
  readonly detail: string;
  readonly remedy?: string | undefined;
}

const SERVICE_TIME_LIMIT_MS = 5_000;
/** The clock of the service is read from its reply, in whole seconds. */
const CLOCK_SKEW_MS = 5_000;
const GIB = 1024 ** 3;
/** Less than this, and a checkpoint of an ordinary process may not fit. */
const LITTLE_SPACE_BYTES = 2 * GIB;

export async function check(context: Context): Promise<void> {
  const { settings, output } = context;
  const criu = await Criu.find().catch((error: unknown) => error);
  const lines = (
    await Promise.all([
      criuLines(criu),
      programs(),
      isolation(),
      kernel(),
      gpu(criu),
      directory('state directory', settings.stateDir),
      settings.store === SERVICE_STORE ? Promise.resolve([]) : directory('store', settings.store),
      Promise.resolve(storeKey(settings)),
      service(settings),
    ])
  ).flat();
  lines.unshift(permissions(), { what: 'Node', state: 'good', detail: process.versions.node });
  const works = lines.every(({ state }) => state !== 'missing');
  const machine = await machineFacts(lines.find(({ what }) => what === 'CRIU')?.detail.split(' ')[0] ?? '');
  answer(output, { works, lines, machine }, () => [
    ...lines.flatMap(({ what, state, detail, remedy }) => [
      `${state.padEnd(8)} ${what}: ${detail}`,
      ...(remedy === undefined ? [] : [`         ${remedy}`]),
    ]),
    works ? 'Checkpoints work on this machine.' : 'Checkpoints do not work on this machine.',
  ]);
  if (!works) context.exit(EXIT.refused);
}

function permissions(): Line {
  try {
    requireCapabilities();
    return { what: 'permissions', state: 'good', detail: 'root, or all capabilities that CRIU needs' };
  } catch (error) {
    const { message, remedy } = failureOf(error);
    return { what: 'permissions', state: 'missing', detail: message, remedy };
  }
}

/** @param criu it, or why it was not found */
async function criuLines(criu: unknown): Promise<Line[]> {
  if (!(criu instanceof Criu)) {
    const { message, remedy } = failureOf(criu);
    return [{ what: 'CRIU', state: 'missing', detail: message, remedy }];
  }
  const { good, problems, features } = await criu.check();
  const { mem_dirty_track: tracks } = features;
  return [
    { what: 'seccomp', ...seccomp(features.seccomp_suspend) },
    { what: 'firewall rules', ...(await firewall(features.network_lock_nftables)) },
    {
      what: 'memory tracking',
      // Nothing that the agent does needs it.
      state: 'good',
      detail: `${tracks === undefined ? 'not known' : tracks ? 'on, and not used' : 'off'}: each checkpoint has all memory of its workload`,
    },
    {
      what: 'CRIU',
      state: good ? 'good' : 'missing',
      detail: [`${criu.version} (${criu.program})`, ...problems].join('; '),
      remedy: good ? undefined : 'Run the agent as root, and install a CRIU that is made for this kernel.',
    },
  ];
}

function seccomp(suspends: boolean | undefined): Omit<Line, 'what'> {
  if (suspends) return { state: 'good', detail: 'CRIU can suspend the filters of workloads' };
  if (suspends === undefined)
    return {
      state: 'limited',
      detail: 'it is not known whether a workload with a seccomp filter can be checkpointed',
      remedy: 'Mend what CRIU finds first.',
    };
  return {
    state: 'limited',
    detail: 'a workload with a seccomp filter cannot be checkpointed',
    remedy: 'Use a kernel with CONFIG_SECCOMP_FILTER, or run workloads without a filter.',
  };
}

/** Only of a network namespace that a workload makes itself: no other one is in the images. */
async function firewall(nftables: boolean | undefined): Promise<Omit<Line, 'what'>> {
  if (nftables) return { state: 'good', detail: 'CRIU keeps those of nftables' };
  const program = await findProgramOfCriu('iptables-restore');
  if (program !== undefined) return { state: 'good', detail: `CRIU keeps those of iptables, by ${program}` };
  return {
    state: 'limited',
    detail: 'those of a network namespace that a workload makes itself are not in its checkpoints',
    remedy: 'Use a CRIU that was built with nftables, install iptables where CRIU finds it, or use --network isolated.',
  };
}

async function programs(): Promise<Line[]> {
  const line = async (name: string, state: 'limited' | 'missing', detail: string, remedy: string): Promise<Line> => {
    const program = await findProgram(name);
    return program === undefined
      ? { what: name, state, detail, remedy }
      : { what: name, state: 'good', detail: program };
  };
  return Promise.all([
    line('unshare', 'missing', 'workloads get no process ids of their own', 'Install util-linux.'),
    line('setsid', 'missing', 'workloads get no session of their own', 'Install util-linux.'),
    ...NETWORK_PROGRAMS.filter(({ name }) => name !== 'unshare').map(({ name, remedy }) =>
      line(name, 'limited', 'workloads get no network of their own', remedy),
    ),
    line('flock', 'missing', 'the names of workloads cannot be held', 'Install util-linux.'),
    line('ss', 'limited', 'an inspection does not see where Unix sockets lead', 'Install iproute2.'),
  ]);
}

/** Makes a network namespace, which is gone at once. */
async function isolation(): Promise<Line> {
  const what = 'network namespace';
  try {
    (await NetworkNamespace.make()).close();
    return { what, state: 'good', detail: 'workloads can have a network of their own' };
  } catch (error) {
    const { message, remedy } = failureOf(error);
    return { what, state: 'limited', detail: message, remedy };
  }
}

/** What a machine without each one cannot restore, and what mends it. */
const LACKING: Readonly<Record<KernelFeature, readonly [workloads: string, remedy: string]>> = {
  inotify: ['workloads that watch files', 'Use a kernel with CONFIG_INOTIFY_USER'],
  ipv6: ['workloads that use IPv6', 'Start the kernel without ipv6.disable=1, and load its module ipv6'],
  seccomp: ['workloads with a seccomp filter', 'Use a kernel with CONFIG_SECCOMP_FILTER'],
  tun: ['workloads that use /dev/net/tun', 'Load the module tun, and give containers the device /dev/net/tun'],
};

async function kernel(): Promise<Line[]> {
  const found = await findKernelFeatures();
  const those = (wanted: boolean | undefined) => KERNEL_FEATURES.filter((feature) => found[feature] === wanted);
  const [has, unknown] = [those(true), those(undefined)];
  const details = [`has ${has.join(', ') || 'none of the features that restores may need'}`];
  if (unknown.length > 0) details.push(`not known: ${unknown.join(', ')}`);
  return [
    { what: 'kernel', state: 'good', detail: details.join('; ') },
    ...those(false).map((feature): Line => {
      const [workloads, remedy] = LACKING[feature];
      return {
        what: `kernel: ${feature}`,
        state: 'limited',
        detail: `${feature === 'tun' ? '/dev/net/tun cannot be opened, so ' : ''}${workloads} cannot be restored here`,
        remedy: `${remedy}, or restore such workloads elsewhere.`,
      };
    }),
  ];
}

/** Only where there is a GPU. */
async function gpu(criu: unknown): Promise<Line[]> {
  const [program, helper, { gpus, gpuDriver }] = await Promise.all([
    findProgram('nvidia-smi'),
    // CRIU's plugin runs it.
    findProgramOfCriu('cuda-checkpoint'),
    gpusHere(),
  ]);
  if (program === undefined && gpus.length === 0) return [];
  const driver = gpuDriver === '' ? '' : `, driver ${gpuDriver}`;
  const there = (isThere: boolean): string => (isThere ? 'is there' : 'is not there');
  const details = [
    `a workload is not checkpointed while it uses the GPU (${gpus.join(', ') || 'of an unknown model'}${driver})`,
    `cuda-checkpoint ${there(helper !== undefined)}`,
  ];
  const pluginDirectory = criu instanceof Criu ? await criu.pluginDirectory() : undefined;
  if (pluginDirectory !== undefined)
    details.push(`CRIU's plugin for CUDA ${there(existsSync(join(pluginDirectory, 'cuda_plugin.so')))}`);
  return [
    {
      what: 'GPU',
      state: 'limited',
      // CRIU loads its plugins whether or not anybody asks for them.
      detail: [...details, 'the agent does not ask for them'].join('; '),
      remedy: 'Let the quiesce hook free the GPU.',
    },
  ];
}

const allows = (path: string, mode: number): Promise<boolean> =>
  access(path, mode).then(
    () => true,
    () => false,
  );

/** The agent makes the directory, so the nearest one that is there decides. */
async function directory(what: string, path: string): Promise<Line[]> {
  let there = path;
  while (!(await allows(there, constants.F_OK)) && dirname(there) !== there) there = dirname(there);
  if (!(await allows(there, constants.W_OK | constants.X_OK)))
    return [
      {
        what,
        state: 'missing',
        detail: `${path} cannot be written to`,
        remedy: `Make it writable, or choose another one.`,
      },
    ];
  const exposed = exposureOf(path);
  if (exposed !== undefined)
    return [{ what, state: 'missing', detail: `${path} is not safe: ${exposed}`, remedy: EXPOSED_REMEDY }];
  const { bavail, bsize } = await statfs(there);
  const little = bavail * bsize < LITTLE_SPACE_BYTES;
  return [
    {
      what,
      state: little ? 'limited' : 'good',
      detail: `${path}, ${((bavail * bsize) / GIB).toFixed(1)} GiB free`,
      remedy: little ? 'Free some space, or choose another one.' : undefined,
    },
  ];
}

/** Without a file of the settings, the key is made when it is first needed; a check makes nothing. */
function storeKey(settings: Settings): Line {
  const key = StoreKey.of(settings);
  const { file } = key;
  if (settings.storeKeyFile === undefined && !existsSync(file))
    return { what: 'store key', state: 'good', detail: `${file} will be made for this machine` };
  try {
    key.ensure();
  } catch (error) {
    const { message, remedy } = failureOf(error);
    return { what: 'store key', state: 'missing', detail: message, remedy };
  }
  const whose = settings.storeKeyFile === undefined ? 'of this machine only' : 'of all machines that have it';
  return { what: 'store key', state: 'good', detail: `${file}, ${whose}` };
}

/** A workload can be checkpointed without the service. Only its reports need it. */
async function service(settings: Settings): Promise<Line[]> {
  const { url } = settings;
  const lines: Line[] = [];
  try {
    const reply = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(SERVICE_TIME_LIMIT_MS) });
    await reply.body?.cancel();
    lines.push({
      what: 'service',
      state: reply.ok ? 'good' : 'limited',
      detail: `${url} answers ${reply.status}`,
      remedy: reply.ok ? undefined : 'Look at the log of the service.',
    });
    const skewMs = Math.abs(Date.parse(timestamp()) - Date.parse(reply.headers.get('date') ?? ''));
    if (!Number.isNaN(skewMs))
      lines.push({
        what: 'clock',
        state: skewMs > CLOCK_SKEW_MS ? 'limited' : 'good',
        detail: `${Math.round(skewMs / 1_000)} s from the clock of the service`,
        remedy: skewMs > CLOCK_SKEW_MS ? 'Synchronise the clocks, for example with chrony.' : undefined,
      });
  } catch {
    lines.push({
      what: 'service',
      state: 'limited',
      detail: `${url} cannot be reached`,
      remedy: 'Start it, or set CCP_URL or --url.',
    });
  }
  lines.push(await token(settings));
  return lines;
}

async function token(settings: Settings): Promise<Line> {
  try {
    if ((await new TokenSource(settings).current()) !== undefined)
      return { what: 'token', state: 'good', detail: 'set' };
  } catch (error) {
    return { what: 'token', state: 'limited', detail: failureOf(error).message, remedy: failureOf(error).remedy };
  }
  return {
    what: 'token',
    state: 'limited',
    detail: 'not set',
    remedy: 'Set CCP_TOKEN_FILE, CCP_TOKEN or --token-file, if the service asks for tokens.',
  };
}
