import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiTags } from '../../1-platform/common/described';
import { json, Operation, redirect } from '../../1-platform/endpoints/operation.decorator';
import { Org, OrgIfKnown, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import { Prepared } from '../../1-platform/common/answers/prepared';
import type { ServiceRequest } from '../../1-platform/common/work/request';
import { PublicAddress } from '../../1-platform/object-storage/public-address';
import { INSTALL_SCRIPT, MAIN_BINARY, SLURM_INSTALL_SCRIPT } from './uploads/plugin-objects';
import { DownloadQuery, ListPluginsQuery, PluginView, UploadPluginBody, UploadUrlsView } from './plugins.dto';
import { PluginsService } from './plugins.service';
import { pluginView } from './plugins.views';

const FAILURES = {
  400: 'Bad name, version, architecture or build',
  404: 'No such upload',
  502: 'The object storage fails',
};

/** Characters of the header that names plugins; clients refuse longer headers. */
const MAX_UNAVAILABLE = 4_000;

const UNAVAILABLE = {
  'X-Plugins-Unavailable': {
    description: 'Names of plugins of the page without a matching version, separated by commas',
    schema: { type: 'string' as const },
  },
};

@ApiTags('plugins')
@Controller('v1')
export class PluginsController {
  constructor(
    private readonly plugins: PluginsService,
    private readonly address: PublicAddress,
  ) {}

  @Get('download')
  @Operation({
    id: 'download_main_binary',
    summary: 'Redirect to the main binary',
    description: 'Redirects to a signed address of the newest or the named version for the architecture.',
    access: 'installers',
    answer: redirect('To the main binary'),
    failures: FAILURES,
  })
  main(
    @OrgIfKnown() context: OrgContext | undefined,
    @Query() query: DownloadQuery,
    @Req() req: ServiceRequest,
    @Res({ passthrough: true }) res: Response,
  ): Promise<void> {
    return this.redirect(context, MAIN_BINARY, query, req, res);
  }

  @Get('install')
  @Operation({
    id: 'download_install_script',
    summary: 'Redirect to the install script',
    description: 'Redirects to a signed address of the newest or the named version of the script.',
    access: 'installers',
    answer: redirect('To the install script'),
    failures: FAILURES,
  })
  install(
    @OrgIfKnown() context: OrgContext | undefined,
    @Query() query: DownloadQuery,
    @Req() req: ServiceRequest,
    @Res({ passthrough: true }) res: Response,
  ): Promise<void> {
    return this.redirect(context, INSTALL_SCRIPT, query, req, res);
  }

  @Get('install/slurm')
  @Operation({
    id: 'download_slurm_install_script',
    summary: 'Redirect to the Slurm install script',
    description: 'Redirects to a signed address of the newest or the named version of the script.',
    access: 'installers',
    answer: redirect('To the Slurm install script'),
    failures: FAILURES,
  })
  installSlurm(
    @OrgIfKnown() context: OrgContext | undefined,
    @Query() query: DownloadQuery,
    @Req() req: ServiceRequest,
    @Res({ passthrough: true }) res: Response,
  ): Promise<void> {
    return this.redirect(context, SLURM_INSTALL_SCRIPT, query, req, res);
  }

  @Get('plugins')
  @Operation({
    id: 'list_plugins',
    summary: 'List plugins, each in one version',
    description:
      'The requested version; else the latest; else, if that does not fit the daemon, the newest that does. ' +
      'Plugins without one are left out, and named in a header. Limit and offset count names of plugins.',
    access: 'installers',
    answer: json([PluginView], { headers: UNAVAILABLE }),
    failures: { 400: 'Bad query' },
  })
  async list(
    @OrgIfKnown() context: OrgContext | undefined,
    @Query() query: ListPluginsQuery,
    @Req() req: ServiceRequest,
    @Res({ passthrough: true }) res: Response,
  ): Promise<Page<PluginView>> {
    const { plugins, unavailable } = await this.plugins.list(context, query, req.place);
    if (unavailable.length > 0) res.setHeader('x-plugins-unavailable', headerOf(unavailable));
    return plugins.map((plugin) => pluginView(plugin, query.build));
  }

  @Get('plugins/download/:binary_name')
  @Operation({
    id: 'download_plugin_binary',
    summary: 'Redirect to a plugin binary',
    description: 'By the name of its upload; a `/` in it is written `%2F`.',
    access: 'installers',
    answer: redirect('To the plugin binary'),
    failures: FAILURES,
  })
  binary(
    @OrgIfKnown() context: OrgContext | undefined,
    @Param('binary_name') name: string,
    @Query() query: DownloadQuery,
    @Req() req: ServiceRequest,
    @Res({ passthrough: true }) res: Response,
  ): Promise<void> {
    return this.redirect(context, name, query, req, res);
  }

  @Post('plugins/upload/:name')
  @Operation({
    id: 'upload_plugin',
    summary: 'Get upload addresses for a plugin build',
    description:
      'PUT the bytes to both. The build is served once its bytes have arrived and match the checksum; until ' +
      'then the latest stays the previous one.',
    access: 'operate',
    creates: 'secret',
    prepares: true,
    answerSeconds: ({ objectUrlSeconds }) => objectUrlSeconds,
    answer: json(UploadUrlsView, { description: 'Upload addresses' }),
    failures: { 400: 'Bad request', 403: 'Not allowed for this organisation' },
    bodyExample: {
      repository: 'github.com/example/plugins',
      version: '1.4.0',
      arch: 'amd64',
      build: 'release',
      checksum: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    },
  })
  async upload(
    @Org() context: OrgContext,
    @Param('name') name: string,
    @Body() body: UploadPluginBody,
    @Req() req: ServiceRequest,
  ): Promise<Prepared<UploadUrlsView>> {
    const { run } = await this.plugins.upload(context, name, body);
    return new Prepared(async () => {
      const { latest_upload_url, version_upload_url } = await run();
      return {
        latest_upload_url: this.address.of(req, latest_upload_url),
        version_upload_url: this.address.of(req, version_upload_url),
      };
    });
  }

  private async redirect(
    context: OrgContext | undefined,
    name: string,
    query: DownloadQuery,
    req: ServiceRequest,
    res: Response,
  ): Promise<void> {
    res.setHeader('location', this.address.of(req, await this.plugins.download(context, name, query, req.place)));
  }
}

/** As many names as fit. */
function headerOf(names: readonly string[]): string {
  const all = names.join(',');
  return all.length <= MAX_UNAVAILABLE ? all : all.slice(0, all.lastIndexOf(',', MAX_UNAVAILABLE));
}
