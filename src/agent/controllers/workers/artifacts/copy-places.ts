import { join } from 'node:path';
import { NIL, v5 } from 'uuid';
import { readJson, removeJson, writeJson } from '../../../files/json-file';
import { bootIdHere } from '../../../machine/boot-id';
import { isInMemory } from '../../../store/directory-store';

interface Note {
  readonly place: string;
  /** Of a place in memory, which ends with the boot. */
  readonly bootId?: string;
}

/**
 * In which directories the copies of artifacts are, a file each. A copy that is not in its directory is gone;
 * one that is not in another directory at the same path, such as that below a missing mount, may be there.
 */
export class CopyPlaces {
  private readonly directory: string;

  /** @param directory of the cluster, in the state directory */
  constructor(
    directory: string,
    private readonly bootId = bootIdHere(),
  ) {
    this.directory = join(directory, 'copies');
  }

  /** @returns undefined if this agent knows of no copy, or it was in the memory of an earlier boot */
  async of(artifactId: string): Promise<string | undefined> {
    const note = await readJson<Note>(this.pathOf(artifactId));
    return note && (note.bootId ?? this.bootId) === this.bootId ? note.place : undefined;
  }

  async keep(artifactId: string, place: string | undefined): Promise<void> {
    if (place === undefined || place === (await this.of(artifactId))) return;
    const note: Note = { place, ...(isInMemory(place) && { bootId: this.bootId }) };
    await writeJson(this.pathOf(artifactId), note);
  }

  /** For an artifact of which a copy is known: it was seen in this place. */
  async move(artifactId: string, place: string | undefined): Promise<void> {
    if ((await this.of(artifactId)) !== undefined) await this.keep(artifactId, place);
  }

  forget(artifactId: string): Promise<void> {
    return removeJson(this.pathOf(artifactId));
  }

  /** Of the note, which people may have to remove: a directory may be lost for good. */
  pathOf(artifactId: string): string {
    return join(this.directory, `${v5(artifactId, NIL)}.json`);
  }
}
