import { notFound, Problem } from '../../1-platform/common/answers/problem';

export const fileNotFound = () => notFound('file_not_found', 'There is no file with that path.');

export const fileTooLarge = (max: number) =>
  new Problem(413, 'file_too_large', `The file has more than ${max} bytes, so it is not served.`);
