import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeWith } from './components';

/**
 * Real output of Kubernetes and CRIU, stored next to the checkout. Tests that need it are skipped with a
 * reason if it is missing.
 */
const DIRECTORY = join(__dirname, '../../../shared/samples');

export const describeWithSamples = (name: string, tests: () => void): void =>
  describeWith(['../shared/samples'], name, tests);

export const sampleBytes = (path: string): Buffer => readFileSync(join(DIRECTORY, path));
export const sampleText = (path: string): string => readFileSync(join(DIRECTORY, path), 'utf8');
// oxlint-disable-next-line typescript/no-explicit-any -- tests look into real output freely
export const sample = (path: string): any => JSON.parse(sampleText(path));
// oxlint-disable-next-line typescript/no-explicit-any -- as above
export const sampleLines = (path: string): any[] =>
  sampleText(path)
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
