export const TITLE = 'Workload checkpoint, restore and inference control plane';
export const SUBTITLE = 'Checkpoints, restores and serving of workloads on Kubernetes, Slurm and plain hosts.';
