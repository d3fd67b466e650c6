import { notFound, Problem } from '../../1-platform/common/answers/problem';

export const pluginNotFound = () =>
  notFound('plugin_not_found', 'Nothing of that name, version, architecture and build was uploaded.');

export const pluginUnavailable = () =>
  notFound('plugin_unavailable', 'What was uploaded is not what its checksum says, or is too large.');

export const anotherPublishes = () =>
  new Problem(
    403,
    'another_organisation_publishes',
    'Plugins are public here, and those of the first organisation: only it publishes.',
  );
