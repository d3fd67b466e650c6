import { Injectable } from '@nestjs/common';
import { SharedLook } from '../../common/work/shared-look';
import { sqlState } from './database-errors';
import { DatabaseWatch, DISK_FULL } from './database-watch';
import { StatementPool } from './statement-pool';

/** A disk that had room is tested again after this. */
const KNOWN_MS = 5_000;
/** While it is full, callers share tests, because each writes to the disk. */
const SHARED = { reuseMs: 250, burst: 10 } as const;
const QUERY_MS = 1_000;

/**
 * Writes 0.9 MB to the disk of the database and removes it: the rows of a function go to a temporary file as
 * soon as they exceed `work_mem`. It needs no table and no privilege. Several statements in one message are
 * one transaction.
 */
export const WRITE_TO_DISK = 'select count(*) from generate_series(1, 65536)';
export const SMALLEST_MEMORY = "set local work_mem = '64kB'; set local temp_tablespaces = ''";

/**
 * Whether the database can store anything. A full disk refuses some writes and not others, and reads
 * continue. The replica learns of it from failed statements and from a write of its own, and assumes room
 * again when one succeeds.
 */
@Injectable()
export class DataDisk {
  private hadRoomAt = -Infinity;
  private readonly shared = new SharedLook(() => this.look(), SHARED);

  constructor(
    private readonly statements: StatementPool,
    private readonly watch: DatabaseWatch,
  ) {}

  /** @throws if the database cannot be queried */
  async hasRoom(): Promise<boolean> {
    const isKnown = this.hadRoomAt > (this.watch.diskFullAt ?? -Infinity);
    if (isKnown && performance.now() - this.hadRoomAt < KNOWN_MS) return true;
    // Another statement may have failed since that test began.
    return (await this.shared.get()) && this.hadRoomAt > (this.watch.diskFullAt ?? -Infinity);
  }

  private async look(): Promise<boolean> {
    const began = performance.now();
    try {
      await this.statements.script(`${SMALLEST_MEMORY}; ${WRITE_TO_DISK}`, QUERY_MS);
    } catch (error) {
      if (sqlState(error) === DISK_FULL) return false;
      throw error;
    }
    this.hadRoomAt = began;
    return true;
  }
}
