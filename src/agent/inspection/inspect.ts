import { readlink, stat, statfs } from 'node:fs/promises';
import { UNPRIVILEGED_REMEDY } from '../criu/causes';
import { MEMORY_MOUNT_BYTES } from '../criu/limits';
import { mountsOf } from '../machine/mounts';
import { findFiles } from './files';
import { isBlocking, named, type Finding } from './finding';
import { readTree, type ProcessFacts, type ProcessTree } from './process-tree';
import { findSockets } from './sockets';
import { findWorkingDirectory } from './working-directories';

/** More say nothing new. */
const MOST_FINDINGS = 100;

/**
 * Can the process and its descendants be checkpointed? Reads /proc, and changes nothing.
 * @returns what is in the way, what blocks first; empty if nothing was found
 * @throws AgentFailure `workload_ended`, `permission_missing`
 */
export async function inspect(pid: number): Promise<Finding[]> {
  const tree = await readTree(pid);
  const findings = [
    ...findProcesses(tree),
    ...(await findNamespaces(tree)),
    ...findFiles(tree),
    ...(await findSockets(tree)),
  ];
  if (tree.cut)
    findings.push({
      cause: 'unclassified',
      severity: 'warn',
      message: 'The workload has more processes or open files than an inspection reads.',
      remedy: 'Take a checkpoint that leaves it running, to see whether it works.',
    });
  const unique = [...new Map(findings.map((finding) => [finding.message, finding])).values()];
  return [...unique.filter(isBlocking), ...unique.filter((finding) => !isBlocking(finding))].slice(0, MOST_FINDINGS);
}

function findProcesses({ processes }: ProcessTree): Finding[] {
  const pids = new Set(processes.map(({ pid }) => pid));
  return processes.flatMap((process) => {
    const found: Finding[] = [];
    if (!pids.has(process.session))
      found.push({
        cause: 'unclassified',
        severity: 'block',
        message: `${named(process)} belongs to a session that another process leads.`,
        remedy: 'Start the workload by `ccp-agent run`, or with setsid.',
      });
    const tracer = process.status.get('TracerPid') ?? '0';
    if (tracer !== '0')
      found.push({
        cause: 'unclassified',
        severity: 'block',
        message: `${named(process)} is traced by the process ${tracer}.`,
        remedy: 'End the debugger.',
      });
    if (process.status.get('Seccomp') === '2')
      found.push({
        cause: 'security_profile',
        severity: 'warn',
        message: `${named(process)} has a seccomp filter.`,
        remedy: 'Run the agent with the capability CAP_SYS_ADMIN, so that CRIU can save the filter.',
      });
    if (!['', 'unconfined', 'kernel'].includes(process.profile))
      found.push({
        cause: 'security_profile',
        severity: 'warn',
        message: `${named(process)} has the security profile ${process.profile}.`,
        remedy: 'Restore only where the same profile is loaded.',
      });
    return found;
  });
}

async function findNamespaces({ processes }: ProcessTree): Promise<Finding[]> {
  const [root] = processes;
  if (root === undefined) return [];
  const ours = { pid: await readlink('/proc/self/ns/pid'), mnt: await readlink('/proc/self/ns/mnt') };
  const found: Finding[] = [];
  if (root.namespaces.pid === ours.pid)
    found.push({
      cause: 'pid_taken',
      severity: 'warn',
      message: `${named(root)} has no process ids of its own; a restore fails while another process has one of them.`,
      remedy: 'Start the workload by `ccp-agent run`.',
    });
  // CRIU's code in such a process mounts a /proc of its own, unless there is one.
  for (const process of processes) {
    if (process.namespaces.mnt !== ours.mnt || process.namespaces.pid === ours.pid) continue;
    if (mayMount(process)) found.push(...(await findWorkingDirectory(process)));
    else
      found.push({
        cause: 'permission_missing',
        severity: 'block',
        message: `${named(process)} gave up rights of root, and then CRIU cannot see its process ids.`,
        remedy: UNPRIVILEGED_REMEDY,
      });
  }
  if (root.namespaces.mnt !== ours.mnt) found.push(ownMounts(root, await memoryMountsOf(root.pid)));
  return found;
}

/**
 * A new mount namespace has a copy of each mount, so a dump copies /dev/shm of the machine: what others keep
 * there could fill the disk, and would be in the checkpoint.
 * @param bytes that its mounts of type tmpfs hold
 */
export function ownMounts(root: Pick<ProcessFacts, 'pid' | 'name'>, bytes: number): Finding {
  const copied = bytes === 0 ? '' : `a dump copies the ${bytes} bytes that those of type tmpfs hold, and `;
  const isTooMuch = bytes > MEMORY_MOUNT_BYTES;
  const limit = isTooMuch ? ` More than ${MEMORY_MOUNT_BYTES} bytes are refused.` : '';
  return {
    cause: 'mount_missing',
    severity: isTooMuch ? 'block' : 'warn',
    message: `${named(root)} has mounts of its own; ${copied}a restore needs them declared.${limit}`,
    remedy: isTooMuch
      ? 'Start the workload without a mount namespace of its own, or unmount in it what it does not use, such as /dev/shm.'
      : 'Start the workload without a mount namespace of its own.',
  };
}

/** The bytes that the file systems of type tmpfs hold of which a process has mounts. */
async function memoryMountsOf(pid: number): Promise<number> {
  const held = new Map<number, number>();
  for (const { point, type } of await mountsOf(pid)) {
    if (type !== 'tmpfs') continue;
    const path = `/proc/${pid}/root${point}`;
    try {
      const [{ dev }, { blocks, bfree, bsize }] = await Promise.all([stat(path), statfs(path)]);
      held.set(dev, (blocks - bfree) * bsize);
    } catch {
      // It is below another mount, or gone.
    }
  }
  return [...held.values()].reduce((sum, bytes) => sum + bytes, 0);
}

const CAP_SYS_ADMIN = 1n << 21n;

/** One that has ended counts, because CRIU runs nothing in it. */
const mayMount = ({ status }: ProcessFacts): boolean =>
  /^[ZX]/.test(status.get('State') ?? '') || (BigInt(`0x${status.get('CapEff') ?? '0'}`) & CAP_SYS_ADMIN) !== 0n;
