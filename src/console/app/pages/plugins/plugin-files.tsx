import { Button } from '@mantine/core';
import { Section } from '../../parts/page';
import { Command } from '../../parts/states';
import { SmallTable } from '../../parts/table/small-table';
import { plural } from '../../parts/units';
import { downloadCommand } from './install-commands';
import type { Plugin, PluginFile } from './plugins-queries';
import type { PluginsSearch } from './plugins-search';
import styles from './plugins.module.css';

interface PluginFilesProps {
  readonly plugin: Plugin;
  readonly search: PluginsSearch;
  readonly close: () => void;
}

type Row = PluginFile & { readonly kind: string };

/** The files of one version, each with the command that downloads it. */
export function PluginFiles({ plugin, search, close }: PluginFilesProps) {
  const { name, version, binaries, libraries } = plugin;
  const kind = { arch: search.arch, build: search.build };
  const files: readonly Row[] = [
    ...binaries.map((file) => ({ ...file, kind: 'binary' })),
    ...libraries.map((file) => ({ ...file, kind: 'library' })),
  ];
  return (
    <Section
      title={`Files of ${name} ${version}`}
      summary={plural(files.length, 'file')}
      aside={
        <Button size="compact-xs" variant="default" onClick={close}>
          Close
        </Button>
      }
    >
      <SmallTable
        label={`Files of ${name}`}
        columns={[
          {
            id: 'file',
            header: 'File',
            width: 'minmax(8rem, 1fr)',
            cell: ({ name: file, kind: what }) => (
              <div className={styles.stack}>
                <span>{file}</span>
                <span className={styles.quiet}>{what}</span>
              </div>
            ),
          },
          { id: 'folder', header: 'Folder', width: 'minmax(7rem, 1fr)', cell: ({ install_dir: folder }) => folder },
          {
            id: 'checksum',
            header: 'Checksum',
            width: 'minmax(7rem, 1fr)',
            cell: ({ checksum }) =>
              checksum === null ? 'none stated' : <code title={checksum}>{checksum.slice(0, DIGITS)}…</code>,
          },
          {
            id: 'download',
            header: 'Download',
            width: 'minmax(12rem, 3fr)',
            cell: ({ name: file }) => <Command text={downloadCommand(window.location.origin, file, version, kind)} />,
          },
        ]}
        rows={files}
        keyOf={({ name: file }) => file}
      />
    </Section>
  );
}

/** Enough to tell two files apart. */
const DIGITS = 12;
