/**
 * Publishes a checkpoint in a directory, and is killed before its nth call of the file system.
 * Arguments: directory, id, n.
 */
import callbacks from 'node:fs';
import promises from 'node:fs/promises';
import { join } from 'node:path';
import { factsOf, KEY } from '../../support/checkpoint-stores';

const [directory = '', id = '', nth = ''] = process.argv.slice(2);
/** Undefined while modules are loaded, which reads files too. */
let calls: number | undefined;

function count(object: object, names: readonly string[]): void {
  const all = object as Record<string, (...values: unknown[]) => unknown>;
  for (const name of names) {
    const real = all[name]!;
    all[name] = function (this: unknown, ...values: unknown[]) {
      if (calls !== undefined && ++calls === Number(nth)) process.kill(process.pid, 'SIGKILL');
      return real.apply(this, values);
    };
  }
}

async function main(): Promise<void> {
  const file = await promises.open(process.execPath);
  const opened = Object.getPrototypeOf(file) as object;
  await file.close();
  // Before anything that keeps one of them is loaded.
  count(promises, ['mkdir', 'readdir', 'lstat', 'open', 'rename', 'unlink', 'rm', 'realpath']);
  count(callbacks, ['openSync', 'readSync', 'fsync', 'fdatasync']);
  count(opened, ['read', 'writeFile', 'sync', 'datasync']);
  const { DirectoryStore } = await import('../../../src/agent/store/directory-store.js');
  calls = 0;
  const draft = await new DirectoryStore({ directory, key: KEY }).begin(id);
  for (const name of ['pages-1.img', 'core-1.img']) callbacks.writeFileSync(join(draft.directory, name), name);
  await draft.publish(factsOf(id));
}

void main();
