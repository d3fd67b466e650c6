import { dirname, join } from 'node:path';
import { jsonFilesIn, readJson, removeJson, replaceJson, writeJson } from '../../../files/json-file';
import { syncFolder } from '../../../files/sync-folder';

/** What every request has; those who do the work add what theirs need. */
export interface Asked {
  readonly kind: string;
  readonly actionId: string;
  /** Missing if it was read from the state of the service. */
  readonly eventId?: number;
}

/**
 * The requests that were taken from the outbox and are not done, a file each. An event is acknowledged when
 * its request is here; the request leaves when its end is reported.
 */
export class RequestJournal<R extends Asked> {
  private readonly requests: string;
  /** What is being written, by path: one after the other. */
  private readonly writes = new Map<string, Promise<void>>();

  /** @param directory of this cluster, in the state directory */
  constructor(directory: string) {
    this.requests = join(directory, 'requests');
  }

  async open(): Promise<R[]> {
    const found = await Promise.all((await jsonFilesIn(this.requests)).map((path) => readJson<R>(path)));
    return found.filter((one) => one !== undefined).sort((a, b) => (a.eventId ?? 0) - (b.eventId ?? 0));
  }

  /** @returns undefined if it is done */
  find(request: R): Promise<R | undefined> {
    return readJson<R>(this.pathOf(request));
  }

  /** Makes a request durable, unless it is here already, perhaps with more than was known at first. */
  add(request: R): Promise<void> {
    const path = this.pathOf(request);
    return this.inOrder(path, async () => {
      if (await readJson<R>(path)) await syncFolder(dirname(path));
      else await writeJson(path, request);
    });
  }

  /** Makes durable what was added to a request. */
  keep(request: R): Promise<void> {
    const path = this.pathOf(request);
    return this.inOrder(path, () => writeJson(path, request));
  }

  /** Keeps what was added to a request for the next process; a power failure may take it back. */
  note(request: R): Promise<void> {
    const path = this.pathOf(request);
    return this.inOrder(path, () => replaceJson(path, request));
  }

  /** A power failure may bring it back: then its end is reported again. */
  done(request: R): Promise<void> {
    const path = this.pathOf(request);
    return this.inOrder(path, () => removeJson(path));
  }

  private inOrder(path: string, write: () => Promise<void>): Promise<void> {
    const written = (this.writes.get(path) ?? Promise.resolve()).then(write, write);
    this.writes.set(path, written);
    const forget = () => void (this.writes.get(path) === written && this.writes.delete(path));
    written.then(forget, forget);
    return written;
  }

  private pathOf({ actionId }: R): string {
    return join(this.requests, `${actionId}.json`);
  }
}
