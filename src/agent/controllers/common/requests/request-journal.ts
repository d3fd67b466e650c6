import { dirname, join } from 'node:path';
import { jsonFilesIn, readJson, readJsonSync, removeJson, writeJson, writeJsonSync } from '../../../files/json-file';
import { syncFolder } from '../../../files/sync-folder';
import { bootIdHere } from '../../../machine/boot-id';

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
    const found = await Promise.all((await jsonFilesIn(this.requests)).map((path) => this.read(path)));
    return found.filter((one) => one !== undefined).sort((a, b) => (a.eventId ?? 0) - (b.eventId ?? 0));
  }

  /** @returns undefined if it is done */
  find(request: R): Promise<R | undefined> {
    return this.read(this.pathOf(request));
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
    return this.inOrder(path, async () => {
      writeNotes(path, request);
      await writeJson(path, request);
    });
  }

  /**
   * Keeps what was added to a request for the next process of this boot: a power failure takes it back, but
   * not the request. Nobody waits for the disk.
   */
  note(request: R): Promise<void> {
    const path = this.pathOf(request);
    return this.inOrder(path, () => Promise.resolve(writeNotes(path, request)));
  }

  /** A power failure may bring it back: then its end is reported again. */
  done(request: R): Promise<void> {
    const path = this.pathOf(request);
    return this.inOrder(path, async () => {
      await removeJson(path);
      await removeJson(notesOf(path));
    });
  }

  private async read(path: string): Promise<R | undefined> {
    const noted = readJsonSync<Notes<R>>(notesOf(path));
    return noted?.bootId === BOOT_ID ? noted.request : readJson<R>(path);
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

/** What the file of a request does not have yet. A power failure may leave less of it. */
interface Notes<R> {
  readonly bootId: string;
  readonly request: R;
}

const BOOT_ID = bootIdHere();

const notesOf = (path: string): string => `${path}.notes`;

const writeNotes = <R>(path: string, request: R): void =>
  writeJsonSync(notesOf(path), { bootId: BOOT_ID, request } satisfies Notes<R>, false);
