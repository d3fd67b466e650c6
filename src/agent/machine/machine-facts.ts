import { readFile } from 'node:fs/promises';
import { hostname, machine, release } from 'node:os';
import { gpusHere } from './gpus';
import { kernelFeatures } from './kernel-features';

/** What a restore must find again, or better: see `docs/agents.md`, Compatibility. */
export interface MachineFacts {
  readonly hostname: string;
  readonly bootId: string;
  /** As `uname -m` prints it. */
  readonly architecture: string;
  readonly pageSize: number;
  readonly kernel: string;
  readonly cpuModel: string;
  /** Flags of /proc/cpuinfo, sorted. */
  readonly cpuFlags: readonly string[];
  readonly libc: string;
  readonly criu: string;
  readonly cgroupMode: 'v1' | 'v2' | 'hybrid' | 'none';
  /** Of a machine, those that it does not lack; of a checkpoint, those that it needs. Absent if not known. */
  readonly kernelFeatures?: readonly string[];
  /** Models of its GPUs, sorted; absent before they were noted. */
  readonly gpus?: readonly string[];
  readonly gpuDriver?: string;
  /** Of the container in which the agent runs, from `CCP_IMAGE_DIGEST`; empty if nobody has named it. */
  readonly imageDigest?: string;
}

/** Whoever starts a container knows its image; nothing in it does. */
export const IMAGE_DIGEST_VARIABLE = 'CCP_IMAGE_DIGEST';

/** What cannot be read is the empty string, or 0: unknown, not a mismatch. */
const UNKNOWN = '';

/** Type of the entry of the auxiliary vector that holds the page size: see getauxval(3). */
const AT_PAGESZ = 6n;

/** @param criu version of CRIU; empty if there is none */
export async function machineFacts(criu: string): Promise<MachineFacts> {
  const [bootId, cpuInfo, mountInfo, auxiliary, devices] = await Promise.all([
    text('/proc/sys/kernel/random/boot_id'),
    text('/proc/cpuinfo'),
    text('/proc/self/mountinfo'),
    readFile('/proc/self/auxv').catch(() => Buffer.alloc(0)),
    devicesHere(),
  ]);
  return {
    hostname: hostname(),
    bootId: bootId.trim(),
    architecture: machine(),
    pageSize: pageSize(auxiliary),
    kernel: release(),
    cpuModel: cpuField(cpuInfo, 'model name|CPU part'),
    cpuFlags: [...new Set(cpuField(cpuInfo, 'flags|Features').split(/\s+/).filter(Boolean))].sort(),
    libc: libc(),
    criu,
    cgroupMode: cgroupMode(mountInfo),
    ...devices,
    imageDigest: process.env[IMAGE_DIGEST_VARIABLE]?.trim() ?? UNKNOWN,
  };
}

/** What may change while a process runs: modules are loaded, and devices are added. */
export async function devicesHere(): Promise<Pick<MachineFacts, 'kernelFeatures' | 'gpus' | 'gpuDriver'>> {
  const [features, gpus] = await Promise.all([kernelFeatures(), gpusHere()]);
  return { kernelFeatures: features, ...gpus };
}

const text = (file: string): Promise<string> => readFile(file, 'utf8').catch(() => UNKNOWN);

/** @param names as x86 and ARM call it, with | between them. @returns that of the first CPU */
const cpuField = (cpuInfo: string, names: string): string =>
  new RegExp(`^(?:${names})\\s*:(.*)$`, 'm').exec(cpuInfo)?.[1]?.trim() ?? UNKNOWN;

export function pageSize(auxiliary: Buffer): number {
  for (let at = 0; at + 16 <= auxiliary.length; at += 16)
    if (auxiliary.readBigUInt64LE(at) === AT_PAGESZ) return Number(auxiliary.readBigUInt64LE(at + 8));
  return 0;
}

function libc(): string {
  // Without this, the report would look up the names of all peers.
  Object.assign(process.report, { excludeNetwork: true });
  const { header } = process.report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  return header.glibcVersionRuntime === undefined ? UNKNOWN : `glibc ${header.glibcVersionRuntime}`;
}

export function cgroupMode(mountInfo: string): MachineFacts['cgroupMode'] {
  // Behind the hyphen stands the type of the file system.
  const types = new Set(mountInfo.split('\n').map((line) => line.split(' - ')[1]?.split(' ')[0]));
  if (types.has('cgroup')) return types.has('cgroup2') ? 'hybrid' : 'v1';
  return types.has('cgroup2') ? 'v2' : 'none';
}
