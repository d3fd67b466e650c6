import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gpusHere } from './gpus';

describe('GPUs', () => {
  let driver: string;
  beforeEach(() => (driver = mkdtempSync(join(tmpdir(), 'gpus-'))));
  afterEach(() => rmSync(driver, { recursive: true }));

  it.each([
    ['NVIDIA UNIX x86_64 Kernel Module  535.104.12  Wed Sep 20 09:35:17 UTC 2023', '535.104.12'],
    ['NVIDIA UNIX Open Kernel Module for x86_64  570.86.15  Release Build', '570.86.15'],
  ])('are known by the files of the driver: %s', async (version, gpuDriver) => {
    writeFileSync(join(driver, 'version'), `NVRM version: ${version}\nGCC version: 12.2.0\n`);
    for (const [address, model] of [
      ['0000:00:1e.0', 'NVIDIA L4'],
      ['0000:00:1f.0', 'NVIDIA A10G'],
    ] as const) {
      mkdirSync(join(driver, 'gpus', address), { recursive: true });
      writeFileSync(join(driver, 'gpus', address, 'information'), `Model: \t\t ${model}\nIRQ:   \t\t 42\n`);
    }
    expect(await gpusHere(driver)).toEqual({ gpus: ['NVIDIA A10G', 'NVIDIA L4'], gpuDriver });
  });

  it('are none without a driver', async () => {
    expect(await gpusHere(join(driver, 'absent'))).toEqual({ gpus: [], gpuDriver: '' });
  });
});
