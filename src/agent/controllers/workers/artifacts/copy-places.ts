import { join } from 'node:path';
import { NIL, v5 } from 'uuid';
import { readJson, removeJson, writeJson } from '../../../files/json-file';

/**
 * In which directories the copies of artifacts are, a file each. A copy that is not in its directory is gone;
 * one that is not in another directory at the same path, such as that below a missing mount, may be there.
 */
export class CopyPlaces {
  private readonly directory: string;

  /** @param directory of the cluster, in the state directory */
  constructor(directory: string) {
    this.directory = join(directory, 'copies');
  }

  /** @returns undefined if this agent knows of no copy */
  async of(artifactId: string): Promise<string | undefined> {
    return (await readJson<{ readonly place: string }>(this.pathOf(artifactId)))?.place;
  }

  async keep(artifactId: string, place: string | undefined): Promise<void> {
    if (place !== undefined && place !== (await this.of(artifactId)))
      await writeJson(this.pathOf(artifactId), { place });
  }

  forget(artifactId: string): Promise<void> {
    return removeJson(this.pathOf(artifactId));
  }

  private pathOf(artifactId: string): string {
    return join(this.directory, `${v5(artifactId, NIL)}.json`);
  }
}
