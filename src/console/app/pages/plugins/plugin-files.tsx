import { Facts } from '../../parts/page';
import { SideDrawer } from '../../parts/layers/side-drawer';
import { Command } from '../../parts/states';
import { plural } from '../../parts/units';
import { downloadCommand } from './install-commands';
import type { Plugin } from './plugins-queries';
import type { PluginsSearch } from './plugins-search';
import styles from './plugins.module.css';

interface PluginFilesProps {
  /** Undefined: none is open. */
  readonly plugin: Plugin | undefined;
  readonly search: PluginsSearch;
  readonly close: () => void;
}

/** The files of one version, each with the command that downloads it. */
export const PluginFiles = ({ plugin, search, close }: PluginFilesProps) => (
  <SideDrawer
    title={plugin ? `Files of ${plugin.name} ${plugin.version}` : 'Files'}
    isOpen={plugin !== undefined}
    close={close}
  >
    {plugin && <Files of={plugin} search={search} />}
  </SideDrawer>
);

function Files({ of: { version, binaries, libraries }, search }: { of: Plugin; search: PluginsSearch }) {
  const kind = { arch: search.arch, build: search.build };
  const files = [
    ...binaries.map((file) => ({ ...file, kind: 'binary' })),
    ...libraries.map((file) => ({ ...file, kind: 'library' })),
  ];
  return (
    <>
      <p className={styles.quiet}>{plural(files.length, 'file')}</p>
      <ul className={styles.files}>
        {files.map(({ name, kind: what, install_dir: folder, checksum }) => (
          <li key={name}>
            <h3>{name}</h3>
            <Facts
              of={[
                ['Kind', what],
                ['Folder', folder],
                [
                  'Checksum',
                  checksum === null ? (
                    'none stated'
                  ) : (
                    <code key="checksum" title={checksum}>
                      {checksum.slice(0, DIGITS)}…
                    </code>
                  ),
                ],
              ]}
            />
            <Command text={downloadCommand(window.location.origin, name, version, kind)} />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Enough to tell two files apart. */
const DIGITS = 12;
