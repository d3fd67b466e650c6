import type { Build } from './uploads/plugin-objects';
import type { PluginFileView, PluginView } from './plugins.dto';
import type { FileRow } from './plugins.queries';
import type { ListedPlugin } from './plugins.service';

const fileView = ({ name, install_dir, checksum }: FileRow): PluginFileView => ({ name, install_dir, checksum });

export function pluginView({ plugin, version, latestVersion, files }: ListedPlugin, build?: Build): PluginView {
  const published = Math.max(...files.map(({ published_at: at }) => at.getTime()));
  return {
    name: plugin,
    version,
    latest_version: latestVersion,
    published_at: new Date(published).toISOString(),
    size: files.reduce((sum, { size_bytes: bytes }) => sum + bytes, 0),
    status: version === latestVersion ? 'AVAILABLE' : 'OUTDATED',
    type: build === 'alpha' ? 'EXPERIMENTAL' : 'SUPPORTED',
    binaries: files.filter(({ kind }) => kind === 'binary').map(fileView),
    libraries: files.filter(({ kind }) => kind === 'library').map(fileView),
  };
}
