import { existsSync } from 'node:fs';
import type { Manifest } from '../store/manifest';
import { isNewer } from '../store/newer';
import { storeOf } from '../store/stores';
import { AgentFailure } from '../failures';
import { SERVICE_STORE } from '../settings/settings';
import type { Context } from './context';
import { answer, say, table } from './output/output';
import { makePrivateDirectories, makePrivateStateDirectory } from './private-directories';

interface Filter {
  readonly namespace?: string;
}

/** Those of the store that this agent would restore, oldest first. */
export async function list(context: Context, { namespace }: Filter, [name]: readonly string[]) {
  const { settings, output } = context;
  makePrivateStateDirectory(settings);
  // A mistyped directory is not made.
  const exists = settings.store === SERVICE_STORE || existsSync(settings.store);
  const found = exists ? await usableOf(context, name, namespace) : [];
  const checkpoints = found.map(({ reference, id, createdAt, bytes, workload }) => ({
    reference,
    id,
    createdAt,
    bytes,
    namespace: workload.namespace,
    name: workload.name,
    command: workload.command,
  }));
  answer(output, { checkpoints }, () =>
    checkpoints.length === 0
      ? []
      : table([
          ['NAMESPACE', 'NAME', 'TAKEN AT', 'BYTES', 'REFERENCE'],
          ...checkpoints.map((one) => [one.namespace, one.name, one.createdAt, String(one.bytes), one.reference]),
        ]),
  );
  if (!exists) say(output, `${settings.store} holds no store of checkpoints yet: the first checkpoint makes it.`);
  else if (checkpoints.length === 0) {
    const which = [name && ` of ${name}`, namespace && ` in the namespace ${namespace}`].filter(Boolean).join('');
    say(output, `The store has no checkpoint${which} that this agent would restore.`);
  }
}

async function usableOf({ settings, output }: Context, name?: string, namespace?: string): Promise<Manifest[]> {
  makePrivateDirectories(settings);
  const found: Manifest[] = [];
  const passOver = ({ message }: AgentFailure): void => say(output, message);
  for await (const manifest of (await storeOf(settings)).list(passOver)) {
    const { workload } = manifest;
    if (name !== undefined && workload.name !== name) continue;
    if (namespace === undefined || workload.namespace === namespace) found.push(manifest);
  }
  return found.sort((a, b) => (isNewer(b, a) ? -1 : 1));
}

/** Also one that this agent would not restore. */
export async function remove({ settings, output }: Context, _options: unknown, [reference]: readonly string[]) {
  makePrivateDirectories(settings);
  const store = await storeOf(settings);
  if (!(await store.holds(reference!)))
    throw new AgentFailure({
      cause: 'checkpoint_missing',
      message: `There is no checkpoint ${reference} in this store.`,
      remedy: `"ccp-agent list" shows its checkpoints. The store is ${settings.store === SERVICE_STORE ? 'the service' : settings.store}.`,
    });
  await store.remove(reference!);
  answer(output, { removed: reference }, () => [`Removed ${reference}.`]);
}
