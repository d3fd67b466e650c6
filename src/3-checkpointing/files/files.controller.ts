import { Controller, Delete, Get, Param, Put, Query, Req } from '@nestjs/common';
import { ApiParam, ApiTags } from '../../1-platform/common/described';
import { Org, type OrgContext } from '../../1-platform/auth/org-context';
import type { Page } from '../../1-platform/common/answers/paging';
import type { ServiceRequest } from '../../1-platform/common/work/request';
import { json, nothing, Operation, text } from '../../1-platform/endpoints/operation.decorator';
import { PublicAddress } from '../../1-platform/object-storage/public-address';
import { DirectoryPathParameter, FilePathParameter } from './file-paths';
import { ListDirectoryQuery } from './files.dto';
import { FilesService } from './files.service';

const PATH = {
  name: 'path',
  schema: { type: 'string' },
  description: 'May hold slashes',
  example: 'checkpoints/01932c00-0000-7000-8000-000000000001/manifest.json',
} as const;

const FAILURES = { 400: 'Bad path', 502: 'The object storage fails' };

@ApiTags('files')
@Controller('v1/files')
export class FilesController {
  constructor(
    private readonly files: FilesService,
    private readonly address: PublicAddress,
  ) {}

  @Get('*path')
  @ApiParam(PATH)
  @Operation({
    id: 'get_file_url',
    summary: 'Get a signed download address',
    description: 'A GET of the address returns the bytes until the address expires. It needs no bearer.',
    access: 'machine',
    work: 'remote',
    answer: text('Download address', 'uri'),
    failures: { ...FAILURES, 404: 'No such file', 413: 'The file is too large' },
  })
  async download(
    @Org() context: OrgContext,
    @Param('path', FilePathParameter) path: string,
    @Req() req: ServiceRequest,
  ): Promise<string> {
    return this.address.of(req, await this.files.downloadUrl(context, path));
  }

  @Put('*path')
  @ApiParam(PATH)
  @Operation({
    id: 'create_file_url',
    summary: 'Get a signed upload address',
    description:
      'A PUT to the address stores the bytes, completely or not at all, and replaces an earlier file of that path. The address expires. It needs no bearer. A file has at most OBJECT_MAX_BYTES.',
    access: 'machine',
    work: 'remote',
    answer: text('Upload address', 'uri'),
    // The address is signed here: the storage is not asked.
    failures: { 400: FAILURES[400] },
  })
  async upload(
    @Org() context: OrgContext,
    @Param('path', FilePathParameter) path: string,
    @Req() req: ServiceRequest,
  ): Promise<string> {
    return this.address.of(req, await this.files.uploadUrl(context, path));
  }

  @Delete('*path')
  @ApiParam(PATH)
  @Operation({
    id: 'delete_file',
    summary: 'Delete a file',
    description: 'Answers the same where there is no such file.',
    access: 'machine',
    work: 'remote',
    answer: nothing(),
    failures: FAILURES,
  })
  remove(@Org() context: OrgContext, @Param('path', FilePathParameter) path: string): Promise<void> {
    return this.files.remove(context, path);
  }

  @Get('dir/*path')
  @ApiParam({ ...PATH, example: 'checkpoints' })
  @Operation({
    id: 'list_directory',
    summary: 'List names in a directory',
    description:
      'The names of files and directories, in order. The name of a directory ends in a slash. A directory exists while it holds files: the list of another one is empty.',
    access: 'read',
    work: 'remote',
    answer: json([String]),
    failures: FAILURES,
  })
  list(
    @Org() context: OrgContext,
    @Param('path', DirectoryPathParameter) path: string,
    @Query() query: ListDirectoryQuery,
  ): Promise<Page<string>> {
    return this.files.list(context, path, query);
  }
}
