import { FileInput, SegmentedControl, Stack, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ActionDialog, Plan } from '../../actions/action-dialog';
import { Done } from '../../actions/done';
import { Command, Loaded } from '../../parts/states';
import { Status } from '../../parts/status';
import { bytes } from '../../parts/units';
import { uploadCommands } from './install-commands';
import { PLUGINS, servedQuery } from './plugins-queries';
import { BUILDS } from './plugins-search';
import { checksumOf, isOwn, MOST_HASHED, upload, type Uploaded } from './upload';
import styles from './plugins.module.css';

type Build = (typeof BUILDS)[number];

export function UploadPlugin() {
  return (
    <ActionDialog operation="upload_plugin" verb="Upload" title="Upload a build of a plugin" changes={PLUGINS}>
      <UploadForm />
    </ActionDialog>
  );
}

function UploadForm() {
  const [file, setFile] = useState<File | null>(null);
  const [name, setName] = useState('');
  const [version, setVersion] = useState('');
  const [repository, setRepository] = useState('');
  const [daemons, setDaemons] = useState('');
  const [arch, setArch] = useState('amd64');
  const [build, setBuild] = useState<Build>('release');
  const [step, setStep] = useState('');
  const missing = [
    [file === null, 'Choose a file.'],
    [name.trim() === '', 'Name the file as it is downloaded.'],
    [version.trim() === '', 'Say which version it is.'],
    [arch.trim() === '', 'Say for which architecture it is.'],
    [repository.trim() === '', 'Name the repository that publishes it.'],
  ].find(([isMissing]) => isMissing === true)?.[1] as string | undefined;
  const act = async (): Promise<Uploaded> => {
    if (file === null) throw new Error('there is no file');
    const checksum = await checksumOf(file);
    const body = {
      version: version.trim(),
      repository: repository.trim(),
      arch: arch.trim(),
      build,
      ...(daemons.trim() !== '' && { daemon_versions: daemons.trim() }),
      ...(checksum !== undefined && { checksum }),
    };
    return upload(name.trim(), file, body, setStep).finally(() => setStep(''));
  };
  return (
    <Plan missing={missing} act={act} outcome={(uploaded, close) => <Outcome of={uploaded} close={close} />}>
      <p>
        The build becomes the latest of its architecture and build type, and installers get it from then on. Nothing
        replaces the latest before the bytes have arrived and match their checksum.
      </p>
      <Stack gap="sm">
        <FileInput
          label="File"
          placeholder="Choose a file"
          required
          value={file}
          onChange={(chosen) => {
            setFile(chosen);
            if (chosen !== null && name === '') setName(chosen.name);
          }}
          description={file === null ? undefined : describe(file)}
        />
        <TextInput label="Name" required value={name} onChange={(event) => setName(event.currentTarget.value)} />
        <TextInput
          label="Version"
          required
          value={version}
          onChange={(event) => setVersion(event.currentTarget.value)}
        />
        <TextInput
          label="Architecture"
          required
          value={arch}
          onChange={(event) => setArch(event.currentTarget.value)}
        />
        <SegmentedControl
          aria-label="Build"
          size="xs"
          value={build}
          onChange={(value) => setBuild(value)}
          data={[...BUILDS]}
        />
        <TextInput
          label="Repository"
          required
          description="Which published it, such as github.com/example/plugins."
          value={repository}
          onChange={(event) => setRepository(event.currentTarget.value)}
        />
        <TextInput
          label="Versions of the daemon"
          description="A range such as >=1.2 <3. Empty: all."
          value={daemons}
          onChange={(event) => setDaemons(event.currentTarget.value)}
        />
        <p className={styles.step} role="status">
          {step}
        </p>
      </Stack>
    </Plan>
  );
}

/** Only over HTTPS, or on this machine, does a browser compute checksums. */
const describe = ({ size }: File): string =>
  window.isSecureContext && size <= MOST_HASHED
    ? `${bytes(size)}; its SHA-256 is sent with it.`
    : `${bytes(size)}; without a checksum, because ${size > MOST_HASHED ? 'it is too large to read at once' : 'this address is not secure'}.`;

function Outcome({ of, close }: { of: Uploaded; close: () => void }) {
  const { urls, name, file, body } = of;
  if (!isOwn(urls))
    return (
      <Done word="Announced" close={close}>
        <p>
          The bytes go to a storage of its own, which takes none from a browser. Upload them with these commands, while
          the addresses are valid:
        </p>
        <Command text={uploadCommands(file.name, [urls.version_upload_url, urls.latest_upload_url])} />
      </Done>
    );
  return (
    <Done word="Uploaded" close={close}>
      <Served name={name} version={body.version} kind={{ arch: body.arch, build: body.build }} />
    </Done>
  );
}

/** The service reads the bytes before it serves them. */
function Served({ name, version, kind }: { name: string; version: string; kind: { arch: string; build: string } }) {
  const served = useQuery(servedQuery(name, version, kind));
  return (
    <Loaded query={served} lines={1}>
      {({ plugins }) =>
        plugins.length > 0 ? (
          <Status tone="good">The service serves it</Status>
        ) : (
          <Status tone="busy">The service verifies it</Status>
        )
      }
    </Loaded>
  );
}
