import { stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { timestamp } from '../../clock';
import { jsonFilesIn, readJson, removeJson, writeJson } from '../../files/json-file';

/** No controller comes back to a worker after so long. */
const KEPT_MS = 86_400_000;

/** What a cluster has accepted, a file each. It may have forgotten it since, and must not get it again. */
export class Receipts {
  private readonly directory: string;

  /** @param directory of the cluster, in the state directory. @param what is submitted, such as `jobs` */
  constructor(directory: string, what: string) {
    this.directory = join(directory, what);
  }

  /** @param uid of a worker */
  async has(uid: string): Promise<boolean> {
    return (await readJson(this.pathOf(uid))) !== undefined;
  }

  keep(uid: string, receipt: object): Promise<void> {
    return writeJson(this.pathOf(uid), receipt);
  }

  /** @param isThere whether the cluster still knows the worker of this uid */
  async forgetOld(isThere: (uid: string) => boolean): Promise<void> {
    for (const path of await jsonFilesIn(this.directory)) {
      const isOld = Date.parse(timestamp()) - (await stat(path)).mtimeMs > KEPT_MS;
      if (isOld && !isThere(basename(path, '.json'))) await removeJson(path);
    }
  }

  private pathOf(uid: string): string {
    return join(this.directory, `${uid}.json`);
  }
}
