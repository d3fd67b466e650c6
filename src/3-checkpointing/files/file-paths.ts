import { Injectable, type PipeTransform } from '@nestjs/common';
import { invalidField } from '../../1-platform/common/answers/problem';
import { KEY_PART } from '../../1-platform/object-storage/object-storage';

/** With the prefix of an organisation, this stays within what object storages allow. */
const MAX_PATH = 700;

/** `/v1/files/dir/…` lists a directory, so no file is below it. The router ignores case. */
const LISTINGS = 'dir';

const PATH_TEXT =
  `must have at most ${MAX_PATH} characters: parts of A-Z a-z 0-9 . _ -, separated by /, ` +
  'none of which begins with . or -';

/**
 * The wildcard of a route: its parts, each unescaped. Generated clients escape the slashes of a parameter, so
 * one part may hold several.
 */
const pathOf = (parts: string | readonly string[]): string => (typeof parts === 'string' ? parts : parts.join('/'));

function checkPath(path: string): void {
  if (path.length > MAX_PATH || !path.split('/').every((part) => KEY_PART.test(part)))
    throw invalidField('path', PATH_TEXT);
}

/** The path of a file, as the key of an object needs it; another text is a 400 that names it. */
@Injectable()
export class FilePathParameter implements PipeTransform<string | string[], string> {
  transform(parts: string | string[]): string {
    const path = pathOf(parts);
    checkPath(path);
    if (path.split('/')[0]?.toLowerCase() === LISTINGS)
      throw invalidField('path', `must not begin with ${LISTINGS}/, which lists directories`);
    return path;
  }
}

/** The path of a directory: as that of a file, and it may end in a slash. */
@Injectable()
export class DirectoryPathParameter implements PipeTransform<string | string[], string> {
  transform(parts: string | string[]): string {
    const path = pathOf(parts).replace(/\/$/, '');
    checkPath(path);
    return path;
  }
}

/** Keys of an organisation begin with it, and no path leads upwards: nobody reaches the files of another. */
export const fileKeyOf = (orgId: string, path: string): string => `files/${orgId}/${path}`;
