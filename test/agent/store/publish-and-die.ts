/**
 * Publishes a checkpoint in a directory, and is killed before its nth call of the file system.
 * Arguments: directory, id, n.
 */
import fs from 'node:fs/promises';
import { join } from 'node:path';
import { DirectoryStore } from '../../../src/agent/store/directory-store';
import { factsOf, KEY } from '../../support/checkpoint-stores';

const [directory = '', id = '', nth = ''] = process.argv.slice(2);

async function main(): Promise<void> {
  const store = new DirectoryStore({ directory, key: KEY });
  let calls = 0;
  const all = fs as unknown as Record<string, (...values: unknown[]) => unknown>;
  for (const name of ['mkdir', 'readdir', 'lstat', 'open', 'rename', 'unlink', 'rm', 'realpath']) {
    const real = all[name];
    all[name] = (...values) => {
      if (++calls === Number(nth)) process.kill(process.pid, 'SIGKILL');
      return real?.(...values);
    };
  }
  const draft = await store.begin(id);
  await fs.writeFile(join(draft.directory, 'pages-1.img'), 'pages');
  await fs.writeFile(join(draft.directory, 'core-1.img'), 'core');
  await draft.publish(factsOf(id));
}

void main();
