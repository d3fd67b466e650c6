import { Inject, Injectable, type OnModuleInit } from '@nestjs/common';
import type { Logger } from 'pino';
import { LOGGER } from '../../../1-platform/common/logger';
import { ENVIRONMENT } from '../../../1-platform/config/config.module';
import type { Environment } from '../../../1-platform/config/environment';
import { UnitOfWork } from '../../../1-platform/database/transactions/unit-of-work';
import { ObjectStorage, UPLOAD_SECONDS } from '../../../1-platform/object-storage/object-storage';
import { Sweeps } from '../../../1-platform/scheduling/sweeps';
import { PluginInspection } from './plugin-inspection';
import { awaitedObjects, forgetAwaited, type AwaitedRow } from '../plugins.queries';

const NAME = 'plugin uploads';
const EVERY_SECONDS = 60;
/**
 * Few: the time limit of a run is checked after each page, and an unresponsive storage takes its time for
 * every object.
 */
const PAGE = 5;
const ROUND_MS = 30_000;

/** Checks announced objects that nobody requests, and forgets those whose addresses have expired. */
@Injectable()
export class PluginUploads implements OnModuleInit {
  constructor(
    private readonly sweeps: Sweeps,
    private readonly unitOfWork: UnitOfWork,
    private readonly inspection: PluginInspection,
    private readonly storage: ObjectStorage,
    @Inject(LOGGER) private readonly logger: Logger,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  onModuleInit(): void {
    this.sweeps.add({ name: NAME, everySeconds: EVERY_SECONDS, run: () => this.run() });
  }

  run(): Promise<0 | undefined> {
    const overdue = this.environment.objectUrlSeconds + UPLOAD_SECONDS;
    return this.sweeps.walk<AwaitedRow>(NAME, {
      pageSize: PAGE,
      roundMs: ROUND_MS,
      page: (behind) =>
        this.unitOfWork.system('every organisation uploads', (tx) => awaitedObjects(tx, behind, PAGE, overdue)),
      serve: (rows) => this.sweeps.each(NAME, rows, (row) => this.serve(row)),
    });
  }

  private async serve(row: AwaitedRow): Promise<void> {
    const scope = { orgId: row.org_id };
    await this.inspection.look(scope, [row]);
    // An object that is there may still be read.
    if (!row.overdue || (await this.storage.find(row.object_key))) return;
    const missing = await this.unitOfWork.run(scope, (tx) => forgetAwaited(tx, row.id));
    const upload = { organisation: row.org_id, object: row.id };
    if (missing) this.logger.warn({ ...upload, missing }, 'a version is not listed: a file of it did not arrive');
    else this.logger.info(upload, 'an upload that did not arrive was forgotten');
  }
}
