const NAMES: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** The architecture of this machine, as container images and Kubernetes name it. */
export const ARCHITECTURE = NAMES[process.arch] ?? process.arch;
export const PLATFORM = `linux/${ARCHITECTURE}`;
