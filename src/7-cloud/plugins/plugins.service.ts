import { Inject, Injectable } from '@nestjs/common';
import { AuditTrail } from '../../1-platform/audit/audit-trail';
import type { OrgContext } from '../../1-platform/auth/org-context';
import { Clock } from '../../1-platform/common/clock';
import { newId } from '../../1-platform/common/ids';
import { Page, sliceOf } from '../../1-platform/common/answers/paging';
import { Prepared } from '../../1-platform/common/answers/prepared';
import { invalidField, Problem } from '../../1-platform/common/answers/problem';
import { ENVIRONMENT } from '../../1-platform/config/config.module';
import type { Environment } from '../../1-platform/config/environment';
import { elsewhere, type WorkPlace } from '../../1-platform/common/work/request';
import { UnitOfWork } from '../../1-platform/database/transactions/unit-of-work';
import { ObjectStorage } from '../../1-platform/object-storage/object-storage';
import { firstOrganisation } from '../../1-platform/organisations/organisations.queries';
import { PluginCatalogue } from './plugin-catalogue';
import { PluginInspection } from './uploads/plugin-inspection';
import { choosePlugins, type ChosenPlugin } from './plugin-choice';
import { askedPlugins } from './asked-plugins';
import {
  DEFAULT_ARCH,
  DEFAULT_BUILD,
  INSTALL_DIRS,
  isPluginName,
  kindOf,
  LATEST,
  NAME_TEXT,
  objectKeyOf,
  type PluginSlot,
} from './uploads/plugin-objects';
import { daemonOf, isRange, versionAt } from './plugin-versions';
import type { DownloadQuery, ListPluginsQuery, UploadPluginBody, UploadUrlsView } from './plugins.dto';
import { anotherPublishes, pluginNotFound, pluginUnavailable } from './plugins.errors';
import {
  announce,
  anyMismatched,
  filesOf,
  firstRepository,
  namesOnShelf,
  servedObject,
  unseenOfFile,
  unseenOnShelf,
  versionsOnShelf,
  type FileRow,
  type Looked,
  type Part,
  type Wanted,
} from './plugins.queries';

/** Announced objects that one request checks. The sweep finds the others. */
const LOOKED_AT_ONCE = 20;

/** Retries of one request when an object is no longer there. */
const TRIES = 3;

export interface ListedPlugin extends ChosenPlugin {
  readonly files: readonly FileRow[];
}

/** Announces, finds and serves plugins. Their bytes pass between clients and the object storage. */
@Injectable()
export class PluginsService {
  private readonly looked: Looked;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly audit: AuditTrail,
    private readonly storage: ObjectStorage,
    private readonly catalogue: PluginCatalogue,
    private readonly inspection: PluginInspection,
    private readonly clock: Clock,
    @Inject(ENVIRONMENT) private readonly environment: Environment,
  ) {
    this.looked = { limit: LOOKED_AT_ONCE, urlSeconds: environment.objectUrlSeconds };
  }

  /**
   * A page is one of names: anybody may ask for it, so nothing is read of other plugins.
   * @returns with them, the names of the page without a matching version
   */
  async list(
    context: OrgContext | undefined,
    query: ListPluginsQuery,
    place: WorkPlace | undefined,
  ): Promise<{ plugins: Page<ListedPlugin>; unavailable: readonly string[] }> {
    const asked = askedPlugins(query.names);
    const { arch = DEFAULT_ARCH, build = DEFAULT_BUILD, compatibility } = query;
    const daemon = compatibility === undefined ? undefined : daemonOf(compatibility);
    const slice = sliceOf(query);
    const scope = await this.catalogue.of(context);
    const { page, part, unseen } = await this.unitOfWork.read(scope, async (tx) => {
      const page = Page.of(
        asked?.slice(slice.offset, slice.offset + slice.limit + 1) ??
          (await namesOnShelf(tx, { arch, build }, slice)).map((name) => ({ name, version: undefined })),
        slice,
      );
      const part: Part = { arch, build, plugins: page.rows.map(({ name }) => name) };
      return { page, part, unseen: await unseenOnShelf(tx, part, this.looked) };
    });
    // Known files can be listed while the storage is down; new uploads are not known yet.
    const looked = (): Promise<void> =>
      this.inspection.lookFor(scope, unseen).catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
      });
    if (unseen.length > 0) await elsewhere(place, looked);
    return this.unitOfWork.read(scope, async (tx) => {
      const { chosen, unavailable } = choosePlugins(await versionsOnShelf(tx, part), page.rows, daemon);
      const keyOf = ({ plugin, version }: Pick<FileRow, 'plugin' | 'version'>) => `${plugin}@${version}`;
      const files = Map.groupBy(await filesOf(tx, part, chosen), keyOf);
      const listed = chosen.map((one) => ({ ...one, files: files.get(keyOf(one)) ?? [] }));
      return { plugins: Page.before(listed, page.next), unavailable };
    });
  }

  /** The address of a file's bytes. */
  async download(
    context: OrgContext | undefined,
    name: string,
    query: DownloadQuery,
    place: WorkPlace | undefined,
  ): Promise<string> {
    checkName('binary_name', name);
    const { arch = DEFAULT_ARCH, build = DEFAULT_BUILD, exact = false } = query;
    const version = query.version === LATEST ? undefined : query.version;
    const scope = await this.catalogue.of(context);
    const find = (repository: string | undefined): Wanted => ({ name, arch, build, version, repository });
    for (let tried = 0; tried < TRIES; tried++) {
      const unseen = await this.unitOfWork.read(scope, (tx) => unseenOfFile(tx, find(query.repository), this.looked));
      if (unseen.length > 0) await elsewhere(place, () => this.inspection.lookFor(scope, unseen));
      const served = await this.unitOfWork.read(scope, async (tx) => {
        const first = exact && query.repository === undefined ? await firstRepository(tx, name) : undefined;
        const wanted = find(query.repository ?? first);
        const row = await servedObject(tx, wanted);
        if (row?.state === 'available') return row;
        throw (await anyMismatched(tx, wanted)) ? pluginUnavailable() : pluginNotFound();
      });
      const there = await elsewhere(place, () => this.storage.find(served.object_key));
      if (there && there.tag === served.object_tag) return this.storage.downloadUrl(served.object_key, there.tag);
      // It is gone, or was written again: the next try uses its new state.
      await elsewhere(place, () => this.inspection.look(scope, [served]));
    }
    throw pluginNotFound();
  }

  /** The addresses are signed first: the storage may look for its credentials elsewhere. */
  async upload(context: OrgContext, name: string, body: UploadPluginBody): Promise<Prepared<UploadUrlsView>> {
    checkName('name', name);
    const plugin = body.plugin ?? name;
    checkName('plugin', plugin);
    if (body.version === LATEST) throw invalidField('version', `must not be ${LATEST}: every upload is that`);
    const daemonVersions = body.daemon_versions ?? null;
    if (daemonVersions !== null && !isRange(daemonVersions))
      throw invalidField('daemon_versions', 'must be a range of versions, such as >=1.2 <3');
    const kind = body.kind ?? kindOf(name);
    const upload = {
      name,
      plugin,
      kind,
      installDir: body.install_dir ?? INSTALL_DIRS[kind],
      version: body.version ?? versionAt(this.clock.now()),
      arch: body.arch ?? DEFAULT_ARCH,
      build: body.build ?? DEFAULT_BUILD,
      repository: body.repository ?? '',
      daemonVersions,
      checksum: body.checksum ?? null,
    };
    const { orgId } = context;
    const object = (slot: PluginSlot) => {
      const id = newId();
      const objectKey = objectKeyOf({ ...upload, orgId, id }, slot === 'latest' ? LATEST : upload.version);
      return { slot, id, objectKey };
    };
    const [latest, version] = [object('latest'), object('version')];
    const urls = {
      latest_upload_url: await this.storage.uploadUrl(latest.objectKey),
      version_upload_url: await this.storage.uploadUrl(version.objectKey),
    };
    return new Prepared(() =>
      this.audit.change(context, async (tx, record) => {
        if (this.environment.pluginsPublic && (await firstOrganisation(tx)) !== orgId) throw anotherPublishes();
        await announce(tx, upload, [latest, version]);
        await record({ resourceType: 'plugin', resourceId: name, details: upload });
        return urls;
      }),
    );
  }
}

function checkName(field: string, name: string): void {
  if (!isPluginName(name)) throw invalidField(field, NAME_TEXT);
}
