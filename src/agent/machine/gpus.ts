import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Where NVIDIA's driver shows itself, also in containers that have one of its GPUs. */
const DRIVER = '/proc/driver/nvidia';

/** The GPUs that this process sees. */
export interface Gpus {
  /** Their models, sorted; one for each. */
  readonly gpus: readonly string[];
  /** Version of their driver; empty without one. */
  readonly gpuDriver: string;
}

export async function gpusHere(driver = DRIVER): Promise<Gpus> {
  const text = (path: string): Promise<string> => readFile(path, 'utf8').catch(() => '');
  const addresses = await readdir(join(driver, 'gpus')).catch((): string[] => []);
  const [version, ...cards] = await Promise.all([
    text(join(driver, 'version')),
    ...addresses.map((address) => text(join(driver, 'gpus', address, 'information'))),
  ]);
  return {
    gpus: cards.map((card) => /^Model:(.*)/m.exec(card)?.[1]?.trim() || 'unknown').sort(),
    gpuDriver: /Kernel Module\s+(?:for \S+\s+)?(\d+(?:\.\d+)+)/.exec(version)?.[1] ?? '',
  };
}
