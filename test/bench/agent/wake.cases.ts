import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import type { Manifest } from '../../../src/agent/store/manifest';
import { isAlive } from '../../../src/agent/processes/processes';
import { engineCommand } from '../../support/engine/engine';
import type { BenchCase } from '../bench';
import { TOKEN } from '../workbench';
import { kill, missingForAgent, Stand, until } from './stand';

const PROFILE = 'engine';
const MEGABYTES = 300;
/** Milliseconds for what is neither CRIU nor the engine. */
const FREE_MS = 150;
const AT_MOST = 1.5;
const QUESTION = { model: PROFILE, stream: true, messages: [{ role: 'user', content: 'Why is the sky blue?' }] };

/**
 * Sends a chat over a connection of its own: others ended with the process that was killed.
 * @returns milliseconds from the call until the first token has arrived
 */
async function firstToken(url: string, bearer?: string): Promise<number> {
  const began = performance.now();
  const headers = { 'content-type': 'application/json', ...(bearer ? { authorization: `Bearer ${bearer}` } : {}) };
  const sent = request(url, { method: 'POST', agent: false, headers }).end(JSON.stringify(QUESTION));
  const [answer] = (await once(sent, 'response')) as [IncomingMessage];
  let milliseconds: number | undefined;
  let text = '';
  for await (const chunk of answer) {
    text += (chunk as Buffer).toString('utf8');
    if (milliseconds === undefined && /"content": ?"[^"]/.test(text)) milliseconds = performance.now() - began;
  }
  if (answer.statusCode !== 200 || milliseconds === undefined)
    throw new Error(`a chat was answered ${answer.statusCode}: ${text}`);
  return milliseconds;
}

export const agentWake: BenchCase = {
  name: 'agent-wake',
  what: `a chat to a sleeping profile of ${MEGABYTES} MB, until the first token; criu restore, and the engine's first token`,
  async prepare(bench) {
    const why = missingForAgent();
    if (why !== undefined) return why;
    const stand = await Stand.open(bench, 'agent-wake', ['--workers']);
    const post = (path: string, body: object) => bench.post(path, JSON.stringify(body));
    const activation = async () => {
      const { body } = await bench.get('/v1/inference/activations');
      return (body as { profile_id: string; phase: string; endpoint: string | null }[]).find(
        ({ profile_id: id }) => id === PROFILE,
      );
    };
    const becomes = (phase: string) => until(async () => (await activation())?.phase === phase, 20);
    const want = (desired_state: string) => post(`/v1/inference/profiles/${PROFILE}/state`, { desired_state });
    const sleeps = async () => {
      await want('Suspended');
      await becomes('Suspended');
    };

    // In the network of the host, so that CRIU alone can restore it too.
    const worker = {
      command: engineCommand({ model: PROFILE, megabytes: MEGABYTES }),
      network: 'host',
      stop_grace_seconds: 1,
    };
    const names = { profile_id: PROFILE, logical_model: PROFILE, exact_model: PROFILE };
    await post('/v1/inference/profiles', {
      ...names,
      hosting_mode: 'checkpointed',
      autoscale: false,
      spec: { worker },
    });
    const targets = [{ profile_id: PROFILE, tier: 'only', priority: 0 }];
    await post('/v1/inference/routes', { logical_model: PROFILE, targets, queue_timeout_ms: 60_000 });
    await want('Active');
    await becomes('Ready');
    const endpoint = (await activation())!.endpoint!;
    await sleeps();
    const { body } = await bench.get(`/v1/inference/artifacts?profile_id=${PROFILE}`);
    const [artifact] = body as { uri: string }[];
    if (!artifact) throw new Error('the profile sleeps without an artifact');
    const { workload } = JSON.parse(readFileSync(join(artifact.uri, 'manifest.json'), 'utf8')) as Manifest;
    return {
      sides: [
        {
          name: 'criu restore and a first token',
          async run() {
            const { pid, milliseconds } = await stand.restore(join(artifact.uri, 'images'), workload.log.path.slice(1));
            const token = await firstToken(`${endpoint}/v1/chat/completions`);
            kill(pid);
            await until(() => !isAlive(pid));
            return milliseconds + token;
          },
        },
        {
          name: 'chat',
          async run() {
            const milliseconds = await firstToken(`${bench.url}/v1/inference/chat/completions`, TOKEN);
            await sleeps();
            return milliseconds;
          },
        },
      ],
      bounds: [
        {
          of: 'chat',
          against: 'criu restore and a first token',
          free: FREE_MS,
          atMost: AT_MOST,
          row: {
            what: `chat to a sleeping profile of ${MEGABYTES} MB, from the request to the first token`,
            against: "`criu restore` and the engine's first token",
          },
        },
      ],
      close: () => stand.close(),
    };
  },
};
