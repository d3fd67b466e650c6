import { setTimeout as sleep } from 'node:timers/promises';
import { answers, InferenceWorker, later } from './inference-worker';

/**
 * An inference worker in a process of its own, which can be killed. Its argument is the port. An answer takes
 * some hundred milliseconds, as a whole or as a stream.
 */
async function main(): Promise<void> {
  const words = Array.from({ length: 30 }, (_, n) => ` word-${n}`);
  const slowly = answers({ words, before: () => sleep(10) });
  await InferenceWorker.start(later(50, slowly), Number(process.argv[2]));
  process.stdout.write('ready\n');
}

void main();
