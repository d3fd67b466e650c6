import { closeSync, constants, openSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const NAME = 'control.sock';

/**
 * The path of a workload's socket. The address of a Unix socket has at most 108 bytes, and a state directory
 * may lie deep. So the path goes through a descriptor of the folder, which is short wherever the folder is.
 */
export class ControlSocket {
  private fd: number | undefined;

  constructor(private readonly folder: string) {
    this.fd = openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY);
  }

  get path(): string {
    return `/proc/self/fd/${this.fd}/${NAME}`;
  }

  /** What an ended supervisor left. Only for who holds the folder's lock. */
  removeStale(): void {
    rmSync(join(this.folder, NAME), { force: true });
  }

  close(): void {
    if (this.fd !== undefined) closeSync(this.fd);
    this.fd = undefined;
  }
}
