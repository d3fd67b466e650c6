/** Bytes of a file that was removed and is still open; CRIU puts it into the images. */
export const GHOST_FILE_BYTES = 1024 ** 3;

/** Bytes that a dump may copy of file systems in memory, because the workload has mounts of them. */
export const MEMORY_MOUNT_BYTES = 1024 ** 3;

/** CRIU restores a GiB in half a second from memory. A slow disk or network needs a minute for it. */
const SLOWEST_BYTES_PER_MS = (16 * 1024 ** 2) / 1_000;
/** Of a restore of nothing, on a machine that is very busy. */
const LEAST_RESTORE_MS = 60_000;

/** How long a restore of so many bytes of images may take. Longer: CRIU reads nothing, or without an end. */
export const restoreLimitMs = (bytes: number): number => LEAST_RESTORE_MS + Math.ceil(bytes / SLOWEST_BYTES_PER_MS);
