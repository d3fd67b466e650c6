import { Link } from '@tanstack/react-router';
import { podName, type HeatMap } from './heat-rows';

/** The pod that held a GPU, under Workloads: itself if its uid is known, else the pods with its name. */
export const PodLink = ({ of }: { of: HeatMap['holders'][number] }) => (
  <Link
    to="/workloads"
    search={
      of.pod_uid === null
        ? { name: of.pod_name, namespace: of.namespace ?? undefined }
        : { name: of.pod_name, open: of.pod_uid }
    }
  >
    {podName(of)}
  </Link>
);
