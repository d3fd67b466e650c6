import { extname, join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { invalidField, unavailable } from '../../common/answers/problem';

/** Maximum number of documents that wait for the thread, including the current one. */
const MAX_WAITING = 8;

/** A document of the maximum size takes a second or two. */
const LONGEST_MS = 10_000;

/** The thread ends after this long without a document, because it has its own heap. */
const IDLE_MS = 5_000;

const HEAP = { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 } as const;

/** The worker module, compiled or not like this one. */
const WORKER = join(__dirname, `yaml-worker${extname(__filename)}`);

/** Converts YAML into JSON on another thread, one document after the other. */
@Injectable()
export class YamlReader implements OnApplicationShutdown {
  private waiting = 0;
  private last: Promise<unknown> = Promise.resolve();
  private worker: Worker | undefined;
  private idle: NodeJS.Timeout | undefined;

  /**
   * @throws a 503 if too many wait, a 400 if the document takes too long, an error if it is not YAML that
   * JSON can express
   */
  async toJson(text: string): Promise<string> {
    if (this.waiting >= MAX_WAITING)
      throw unavailable('yaml_busy', 'Too many YAML documents wait to be read; JSON is read at once.');
    this.waiting++;
    const read = this.last.then(() => this.read(text));
    this.last = read.catch(() => undefined);
    try {
      return await read;
    } finally {
      this.waiting--;
      if (this.waiting === 0) this.idle = setTimeout(() => this.end(), IDLE_MS).unref();
    }
  }

  onApplicationShutdown(): void {
    this.end();
  }

  private read(text: string): Promise<string> {
    clearTimeout(this.idle);
    const worker = (this.worker ??= this.start());
    return new Promise<string>((resolve, reject) => {
      const late = setTimeout(() => {
        leave();
        this.end();
        reject(invalidField('body', 'takes too long to read as YAML'));
      }, LONGEST_MS);
      const leave = (): void => {
        clearTimeout(late);
        worker.off('message', answered).off('exit', ended);
      };
      const answered = ({ json }: { json?: string }): void => {
        leave();
        if (json === undefined) reject(new SyntaxError('the text is not YAML that JSON can hold'));
        else resolve(json);
      };
      // Most likely out of memory.
      const ended = (): void => {
        leave();
        if (this.worker === worker) this.worker = undefined;
        reject(new SyntaxError('the text could not be read'));
      };
      worker.on('message', answered).once('exit', ended);
      worker.postMessage(text);
    });
  }

  private start(): Worker {
    const worker = new Worker(WORKER, { resourceLimits: HEAP });
    // Its exit follows, and is handled there.
    worker.on('error', () => undefined);
    worker.unref();
    return worker;
  }

  private end(): void {
    clearTimeout(this.idle);
    void this.worker?.terminate();
    this.worker = undefined;
  }
}
