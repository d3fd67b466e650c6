import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { MAX_ROWS, Page } from '../../1-platform/common/answers/paging';
import { ENVIRONMENT } from '../../1-platform/config/config.module';
import type { Environment } from '../../1-platform/config/environment';
import { ObjectStorage } from '../../1-platform/object-storage/object-storage';
import { fileKeyOf } from './file-paths';
import type { ListDirectoryQuery } from './files.dto';
import { fileNotFound, fileTooLarge } from './files.errors';

/**
 * Files of an organisation in the object storage, such as the images of checkpoints. Their bytes pass between
 * agents and the storage. The storage alone knows which files there are: only a removal leaves a row, in the
 * audit trail.
 */
@Injectable()
export class FilesService {
  constructor(
    private readonly storage: ObjectStorage,
    private readonly audit: AuditTrail,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {}

  async downloadUrl({ orgId }: OrgContext, path: string): Promise<string> {
    const key = fileKeyOf(orgId, path);
    const found = await this.storage.find(key);
    if (found === undefined) throw fileNotFound();
    // A bucket accepts any size.
    const max = this.environment.objectMaxBytes;
    if (found.sizeBytes > max) throw fileTooLarge(max);
    return this.storage.downloadUrl(key, found.tag);
  }

  uploadUrl({ orgId }: OrgContext, path: string): Promise<string> {
    return this.storage.uploadUrl(fileKeyOf(orgId, path));
  }

  /** The entry comes first: a removal without one must not happen, and a failed one is repeated. */
  async remove(context: OrgContext, path: string): Promise<void> {
    await this.audit.change(context, (_tx, record) => record({ resourceType: 'file', resourceId: path }));
    await this.storage.remove(fileKeyOf(context.orgId, path));
  }

  async list({ orgId }: OrgContext, directory: string, query: ListDirectoryQuery): Promise<Page<string>> {
    const { limit = MAX_ROWS, after } = query;
    const { names, more } = await this.storage.list(fileKeyOf(orgId, directory), { limit, after });
    const last = names.at(-1);
    return Page.before(names, more && last !== undefined ? { limit, after: last } : undefined);
  }
}
