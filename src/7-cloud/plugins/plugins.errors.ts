import { notFound, Problem } from '../../1-platform/common/answers/problem';

export const pluginNotFound = () =>
  notFound('plugin_not_found', 'No file with that name, version, architecture and build was uploaded.');

export const pluginUnavailable = () =>
  notFound('plugin_unavailable', 'The uploaded file does not match its checksum, or is too large.');

export const anotherPublishes = () =>
  new Problem(
    403,
    'another_organisation_publishes',
    'Plugins are public here and belong to the first organisation: only it publishes.',
  );
