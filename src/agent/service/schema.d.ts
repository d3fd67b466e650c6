// Written by `npm run openapi`, for the operations in operations.json.

export interface paths {
    "/v1/inference/outbox": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List events after a cursor
         * @description In order, each at least once: an event is delivered until it is acknowledged. With wait_ms the answer comes as soon as there is an event. For an empty answer, X-Outbox-Head has the number of the newest event.
         */
        get: operations["list_outbox_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/outbox/consumers": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List consumers and how far they lag
         * @description By name. An organisation has 1,000 consumers at most: beyond that, the one that was not seen for the longest time is removed.
         */
        get: operations["list_outbox_consumers"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/outbox/ack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Acknowledge events up to an id
         * @description Going back changes nothing.
         */
        post: operations["ack_outbox"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/user": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the id of the caller
         * @description The id of the access token, or for a JWT the UUIDv5 of its issuer and subject. A caller that accepts JSON and no text also gets the name, the role and the organisation.
         */
        get: operations["get_user"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cluster": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create or update a cluster
         * @description Answers the id of the cluster with that name, and creates it if necessary. An agent registers its cluster at every start.
         */
        post: operations["save_cluster"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cluster/workload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List queued workloads
         * @description Newest first, without their manifests. The controller of a cluster reads which ones are queued when it starts.
         */
        get: operations["list_workloads"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cluster/workload/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a queued workload with its manifest
         * @description For the controller of the cluster, which creates the workload from its manifest.
         */
        get: operations["get_workload"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Report what became of a queued workload
         * @description The controller reports whether it created the workload or refused it. The first outcome counts: the same one again changes nothing, and another one is a conflict.
         */
        patch: operations["update_workload"];
        trace?: never;
    };
    "/v1/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List nodes of active clusters
         * @description Omits nodes that were not synced for over 5 minutes, unless `silent` is true.
         */
        get: operations["list_nodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List live pods of active clusters
         * @description Pods of clusters that reported in the last 5 minutes, with the policies that act on them. A deleted pod is not listed.
         */
        get: operations["list_pods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pods/paginated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pods page by page
         * @description A page of pods with their total number, filtered and sorted. Of active clusters and live nodes and, with `silent`, of all.
         */
        get: operations["list_pods_paginated"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/paginated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs page by page
         * @description A page of jobs with their total number, filtered and sorted. Of active clusters and, with `silent`, of all.
         */
        get: operations["list_jobs_paginated"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cluster/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register a resource of a cluster
         * @description The resource is the whole Kubernetes object plus its type. A resourceVersion older than the stored one changes nothing. The type None is a heartbeat of the cluster and answers the id of the cluster.
         */
        post: operations["sync_cluster"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/cluster/sync/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Register many resources of a cluster
         * @description Each resource as in a single sync. The reply names failed resources; the others are stored.
         */
        post: operations["sync_cluster_batch"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an operation fact by checkpoint id or restore uuid
         * @description The facts of one attempt, with its stages and, for a checkpoint, its restores. They exist as soon as the node has reported, or its report is overdue. A restore that no node took up has the id of its action.
         */
        get: operations["get_operation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/actions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List actions, newest first
         * @description Checkpoint, restore and heartbeat actions of pods and Slurm jobs. Actions leave the list of open ones meanwhile, so its next page begins `after` the last action of a page.
         */
        get: operations["list_actions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/actions/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an action
         * @description One action with its state, its request and the totals of its checkpoints.
         */
        get: operations["get_action"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/actions/upload": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Keep the pod of an action, and note where the action stands
         * @description The node agent stores the pod of the action and reports the state of the action.
         */
        post: operations["upload_action_pod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkpoint/pod": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a checkpoint of a pod
         * @description Names the pod by pod_id, or by cluster_id, namespace and pod_name. The controller of its cluster gets an event. The answer is the id of the action.
         */
        post: operations["checkpoint_pod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkpoint/status/{action_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get where a checkpoint operation stands
         * @description The state of the action, with the error or the progress that its node reported.
         */
        get: operations["get_checkpoint_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkpoint/path": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the restore path of the newest ready checkpoint of a name
         * @description The path under which the files of the checkpoint are stored. Only checkpoints that are ready count.
         */
        get: operations["get_checkpoint_path"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List checkpoints, newest first
         * @description Checkpoints of containers and Slurm jobs with their status and what the node reported: all, or those with the given ids, of one cluster, status or name, or whose bytes are still to be removed.
         */
        get: operations["list_checkpoints"];
        put?: never;
        /**
         * Create the checkpoint of one container
         * @description The first request for an action gets the checkpoint that was created with it; later ones create more. A checkpoint may also have no action.
         */
        post: operations["create_checkpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkpoints/info/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Report the facts of a checkpoint, or that it failed
         * @description The node agent reports the durations and sizes of a finished dump, or the error that ended it.
         */
        put: operations["put_checkpoint_info"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkpoints/progress/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Report the progress of a checkpoint
         * @description One report per second is stored. The status of the action shows it. A report is also a sign of life: an action without reports for CHECKPOINT_TIMEOUT_SECONDS becomes error.
         */
        put: operations["report_checkpoint_progress"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkpoints/uploaded/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a checkpoint as uploaded
         * @description The files of the checkpoint are in storage. From now on pods can be restored from it.
         */
        post: operations["report_checkpoint_uploaded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkpoints/deprecate/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Deprecate a checkpoint: nothing restores from it any more, its facts stay
         * @description The checkpoint is no longer offered for restores. Its row and its facts stay in lists and reports.
         */
        patch: operations["deprecate_checkpoint"];
        trace?: never;
    };
    "/v1/checkpoints/removed/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Confirm that the bytes of a deprecated or forgotten checkpoint are gone
         * @description Of a pod or of a Slurm job. The controller that holds the bytes removes them, and confirms it afterwards, until it has an answer. The first confirmation stands: a repetition changes nothing, and of a forgotten checkpoint it is a 404.
         */
        put: operations["confirm_checkpoint_removal"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/checkpoints/forgotten": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List checkpoints that are gone while their bytes may be in a store, newest first
         * @description Their cluster was deleted, or they grew old, and nobody had confirmed that their bytes are gone. From `removable_at` on (seven days later, unless the service is set otherwise), an agent that finds the bytes in its store may remove them, and confirms it: then they leave this list. A checkpoint that is on neither list is not known to this organisation (any more).
         */
        get: operations["list_forgotten_checkpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/restore/pod": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a restore of a pod
         * @description Requests that the controller of the cluster restore the first ready checkpoint of the action, which must be ready unless allow_partial is true. The answer is the id of a new action.
         */
        post: operations["restore_pod"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/restores": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List restores, newest first
         * @description Restores with their status and the events that nodes reported, filtered by any of the parameters.
         */
        get: operations["list_restores"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/restores/events/restore_start": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record the start of a restore
         * @description Events of one restore may come in any order and repeat.
         */
        post: operations["record_restore_start"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/restores/events/restore_success": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record the success of a restore
         * @description Ends the restore as successful, unless it has ended. The event is kept as it was sent, with members that the service does not know.
         */
        post: operations["record_restore_success"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/restores/events/restore_error": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record the failure of a restore
         * @description Ends the restore as failed, with the error message, unless it has ended. The event is kept as it was sent, with members that the service does not know.
         */
        post: operations["record_restore_error"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a signed download address
         * @description A GET of the address returns the bytes until the address expires. It needs no bearer.
         */
        get: operations["get_file_url"];
        /**
         * Get a signed upload address
         * @description A PUT to the address stores the bytes, completely or not at all, and replaces an earlier file of that path. The address expires. It needs no bearer. A file has at most OBJECT_MAX_BYTES.
         */
        put: operations["create_file_url"];
        post?: never;
        /**
         * Delete a file
         * @description Answers the same where there is no such file.
         */
        delete: operations["delete_file"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/files/dir/{path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List names in a directory
         * @description The names of files and directories, in order. The name of a directory ends in a slash. A directory exists while it holds files: the list of another one is empty.
         */
        get: operations["list_directory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/checkpoint/job": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a checkpoint of a Slurm job
         * @description Names the job by job_id or job_name. A job that is not synced yet is a 404: callers retry. The answer is the id of the action.
         */
        post: operations["checkpoint_slurm_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List checkpoints of Slurm jobs, newest first
         * @description Checkpoints of Slurm jobs with their status and what the node reported, filtered by any of the parameters.
         */
        get: operations["list_slurm_checkpoints"];
        put?: never;
        /**
         * Create a checkpoint of a Slurm job
         * @description The first request for an action gets the checkpoint that was created with it; later ones create more. A checkpoint may also have no action.
         */
        post: operations["create_slurm_checkpoint"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/checkpoints/info/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Report the facts of a checkpoint, or that it failed
         * @description The node reports the durations and sizes of a finished dump, or the error that ended it.
         */
        put: operations["put_slurm_checkpoint_info"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/checkpoints/uploaded/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report a checkpoint as uploaded
         * @description The files of the checkpoint are in storage. From now on jobs can be restored from it.
         */
        post: operations["report_slurm_checkpoint_uploaded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/checkpoints/deprecate/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Deprecate a checkpoint: nothing restores from it any more, its facts stay
         * @description The checkpoint is no longer offered for restores. Its row and its facts stay in lists and reports.
         */
        patch: operations["deprecate_slurm_checkpoint"];
        trace?: never;
    };
    "/v1/policy/pipeline/{policy_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a policy with its pipeline
         * @description The policy with its filter, its trigger and its action.
         */
        get: operations["get_pipeline_policy"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Slurm jobs
         * @description Newest first, in the order of their first reports.
         */
        get: operations["list_slurm_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/jobs/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Upsert a batch of Slurm jobs
         * @description Accepts the unchanged output of `squeue --json`, `sacct --json` and slurmrestd, with `cluster_id` in the query, or flat records. Jobs are stored by cluster and job id. The run submitted last wins. Within it, the records of squeue and sacct are merged: a missing member removes nothing. The output of a failed call (`errors`, and no jobs) is a 400. The answer names records that cannot be stored (the first 20, by index from 0); the others are stored.
         */
        post: operations["sync_slurm_jobs"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/clusters/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store the whole set of Slurm clusters
         * @description The whole set of a registered cluster: missing records become STALE until they are reported again. Accepts Slurm's unchanged output, with `cluster_id` in the query, or flat records. The reply names records that cannot be stored; their rows stay unchanged. The output of a failed call (`errors`) is a 400 and changes nothing.
         */
        post: operations["sync_slurm_clusters"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/nodes/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store the whole set of Slurm nodes
         * @description The whole set of a registered cluster: missing records become STALE until they are reported again. Accepts Slurm's unchanged output, with `cluster_id` in the query, or flat records. The reply names records that cannot be stored; their rows stay unchanged. The output of a failed call (`errors`) is a 400 and changes nothing.
         */
        post: operations["sync_slurm_nodes"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/partitions/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store the whole set of Slurm partitions
         * @description The whole set of a registered cluster: missing records become STALE until they are reported again. Accepts Slurm's unchanged output, with `cluster_id` in the query, or flat records. The reply names records that cannot be stored; their rows stay unchanged. The output of a failed call (`errors`) is a 400 and changes nothing.
         */
        post: operations["sync_slurm_partitions"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/maintenance_window/sync": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Store the whole set of reservations
         * @description Missing synced windows end. Accepts the unchanged output of `scontrol show reservations --json` and slurmrestd, with `cluster_id` in the query, or flat records. Every reservation is stored, whatever its flags; node lists are expanded. The reply names records that cannot be stored; their windows stay unchanged. A name with other times, after its window was cancelled or is over, is a new window. The output of a failed call (`errors`) is a 400 and changes nothing.
         */
        post: operations["sync_maintenance_windows"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/profiles": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List profiles by id
         * @description Profiles as they were created.
         */
        get: operations["list_profiles"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/profiles/{profile_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a profile
         * @description One profile as it was created.
         */
        get: operations["get_profile"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/activations/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report the actual state of a profile
         * @description A report of an older generation than the last one changes nothing. A start ends when the worker is first ready; it counts as a restore if the worker named a checkpoint.
         */
        post: operations["report_activation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/capacity-intents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the latest intent of each profile
         * @description Newest update first, whatever the status.
         */
        get: operations["list_capacity_intents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/artifacts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List artifacts, newest first
         * @description Artifacts of all profiles or of one, filtered by status, checkpoint mode and cluster, or those whose bytes are still to be removed.
         */
        get: operations["list_artifacts"];
        put?: never;
        /**
         * Register an artifact
         * @description An equal registration finds the stored one.
         */
        post: operations["register_artifact"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/artifacts/lookup": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Find what a worker can be restored from
         * @description Restorable artifacts first, hottest tier first, then newest; then the others. Each has its differences from what is requested, and how much each of them counts. The node of the restore compares again, with all that the images need.
         */
        post: operations["lookup_artifacts"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/artifacts/{artifact_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an artifact
         * @description One artifact with its status, its storage tier and its residency.
         */
        get: operations["get_artifact"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set the status of an artifact, or report the result of its promotion
         * @description Operators set golden and quarantined, and take them back with ready. Controllers report on the bytes: ready, expired, and the promotion. Such a report keeps what operators set.
         */
        patch: operations["update_artifact"];
        trace?: never;
    };
    "/v1/inference/artifacts/{artifact_id}/removed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Confirm that the bytes of a deleted or expired artifact are gone
         * @description The controller that holds the bytes removes them, and confirms it afterwards, until it has an answer. The first confirmation stands: a repetition changes nothing. An artifact that is ready again has bytes again.
         */
        put: operations["confirm_artifact_removal"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/profiles/{profile_id}/hosting": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how a profile is hosted
         * @description How the profile is hosted, who takes checkpoints of its workers, and the checkpoint request that is open.
         */
        get: operations["get_profile_hosting"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/profiles/{profile_id}/checkpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Report the progress of a checkpoint or restart
         * @description Only for the last attempt, and only forwards; a repetition gets the first reply.
         */
        patch: operations["update_profile_checkpoint"];
        trace?: never;
    };
    "/v1/inference/lifecycle-events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Record what happened to a worker, a model, a route or a node
         * @description In any order: an event belongs to the start of its pod, or to the one in progress when it occurred.
         */
        post: operations["record_lifecycle_event"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        OutboxEventView: {
            /**
             * Format: int64
             * @description Without gaps within the organisation, in the order of delivery
             */
            id: number;
            /** @description The event type's part before the dot */
            aggregate_type: string;
            aggregate_id: string;
            event_type: string;
            /** @description Ids, and the request; never a state, which the consumer reads when it acts */
            payload: unknown;
            /** Format: date-time */
            created_at: string;
            /** @description W3C trace context of the request that wrote it; missing where requests are not traced */
            traceparent?: string;
        };
        ProblemView: {
            /** @description URI of the kind of problem */
            type: string;
            title: string;
            status: number;
            /** @description What went wrong, in a sentence */
            detail: string;
            /** @description Id of the request, as in the header X-Request-Id */
            instance: string;
            /** @description Stable name of the problem, snake_case */
            code: string;
            /** @description Same as detail, for clients that read this member */
            message: string;
            /** @description The faults of an invalid request */
            errors?: components["schemas"]["FieldFaultView"][];
            /**
             * Format: int64
             * @description For a 410 of the outbox: the oldest stored event
             */
            oldest_event_id?: number;
            /**
             * Format: date-time
             * @description For a 409 node_silent: when the node last reported
             */
            last_seen_at?: string;
            /**
             * Format: int64
             * @description For a 410 of the outbox: the newest event
             */
            head?: number;
            /** @description For operations that clients of OpenAI's API call: the failure in their format */
            error?: components["schemas"]["OpenAiErrorView"];
        };
        FieldFaultView: {
            /** @description Path of the field, such as `resources[3].metadata.uid` */
            field: string;
            message: string;
        };
        OpenAiErrorView: {
            message: string;
            type: string;
            /** @description Faulty member of the request */
            param: string | null;
            code: string | null;
        };
        OutboxConsumerView: {
            /** @description Name that the consumer gave itself */
            consumer_id: string;
            /**
             * Format: int64
             * @description The newest acknowledged event; null before the first event
             */
            acknowledged_event_id: number | null;
            /**
             * Format: int64
             * @description Events behind it
             */
            lag_events: number;
            /**
             * Format: date-time
             * @description When it last read or acknowledged, within half a minute
             */
            last_seen_at: string;
        };
        AckOutboxBody: {
            /** @description Name that the consumer gives itself */
            consumer_id: string;
            /**
             * Format: int64
             * @description The newest acknowledged event
             */
            event_id: number;
        };
        UserView: {
            /** Format: uuid */
            id: string;
            /** @description Name of the access token, or the subject of the JWT */
            name: string;
            /** @enum {string} */
            role: "admin" | "operator" | "viewer" | "controller";
            /** @enum {string} */
            scope: "organisation" | "platform";
            /** Format: uuid */
            organisation_id: string;
        };
        SaveClusterBody: {
            cluster_name: string;
            /**
             * @default kubernetes
             * @enum {string|null}
             */
            kind?: "kubernetes" | "slurm" | null;
        };
        ListedWorkloadView: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            cluster_id: string;
            /** @description deployment, job, pod */
            kind: string;
            /** @enum {string} */
            status: "queued" | "applied" | "refused";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When its controller reported the outcome
             */
            taken_at: string | null;
            /** @description Id of the caller who reported it */
            taken_by: string | null;
            /** @description The reason of a refusal */
            error: string | null;
        };
        QueuedWorkloadView: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            cluster_id: string;
            /** @description deployment, job, pod */
            kind: string;
            /** @enum {string} */
            status: "queued" | "applied" | "refused";
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When its controller reported the outcome
             */
            taken_at: string | null;
            /** @description Id of the caller who reported it */
            taken_by: string | null;
            /** @description The reason of a refusal */
            error: string | null;
            /** @description As requested; null 24 hours after the outcome, or 7 days after the request */
            manifest: unknown;
        };
        WorkloadOutcomeBody: {
            /** @enum {string} */
            status: "applied" | "refused";
            /** @description The reason of a refusal */
            message?: string | null;
        };
        NodeView: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description Ready, NotReady or Unknown */
            status: string;
            /** Format: uuid */
            cluster_id: string;
            cluster_name: string;
            /** @description gpu or cpu */
            compute_type: string;
            /** @description Empty if the node does not report it */
            instance_type: string;
            /** @description Empty if the node does not report it */
            region: string;
            /** @description spot, on-demand or another word of the provider; empty if the node does not report it */
            capacity_type: string;
        };
        PodView: {
            /** Format: uuid */
            id: string;
            /** @description As its cluster names it */
            uid: string;
            /** @description Of the last report; null if that had none */
            resource_version: string | null;
            /** Format: uuid */
            cluster_id: string;
            name: string;
            namespace: string;
            /** @description Phase */
            status: string;
            /** @description Why it does not work, in Kubernetes' words, such as CrashLoopBackOff */
            reason: string | null;
            /** @description As kubectl prints it */
            age: string;
            /** @description Ready and total containers */
            ready: string;
            /** @description Empty while it is on no node */
            node: string;
            /** Format: int32 */
            restarts: number;
            monitored_by_policies: string[];
            start_time: string | null;
        };
        PodPageView: {
            pods: components["schemas"]["PodView"][];
            /** Format: int64 */
            total_count: number;
            available_filters: components["schemas"]["AvailableFiltersView"] | (never | null);
        };
        AvailableFiltersView: {
            statuses: string[];
            namespaces: string[];
        };
        JobPageView: {
            jobs: components["schemas"]["JobView"][];
            /** Format: int64 */
            total_count: number;
            available_filters: components["schemas"]["AvailableFiltersView"] | (never | null);
        };
        JobView: {
            /** Format: uuid */
            id: string;
            /** @description As its cluster names it */
            uid: string;
            /** @description Of the last report; null if that had none */
            resource_version: string | null;
            /** Format: uuid */
            cluster_id: string;
            name: string;
            namespace: string;
            /** @description As kubectl's STATUS column: Running, Complete, Failed, Suspended or Terminating */
            status: string;
            /** @description As kubectl prints it */
            age: string;
            monitored_by_policies: string[];
            /** @description Row ids of its first 1,000 pods */
            pod_ids: string[];
            /** @description Succeeded and wanted pods */
            completions: string | null;
            /** @description From its start to its end, or until now */
            duration: string | null;
            startTime: string | null;
            /** Format: int32 */
            pod_count: number | null;
            /** Format: int32 */
            policy_count: number | null;
            /**
             * Format: int32
             * @description Of its template, else of its pods; null if neither has one
             */
            priority: number | null;
        };
        SyncClusterBody: {
            /**
             * Format: uuid
             * @description Default: the organisation's only cluster
             */
            cluster_id?: string | null;
            /** @description Stored with the cluster; the last report wins */
            metadata?: unknown;
            /** @description The whole Kubernetes object, as `kubectl get -o json` prints it, plus its type */
            resource: {
                /** @enum {string} */
                type: "None" | "Pod" | "Node" | "Job" | "EngineGraphDeployment" | "EngineService";
            } & {
                [key: string]: unknown;
            };
        };
        SyncClusterBatchBody: {
            /** Format: uuid */
            cluster_id: string;
            resources: ({
                /** @enum {string} */
                type: "None" | "Pod" | "Node" | "Job" | "EngineGraphDeployment" | "EngineService";
            } & {
                [key: string]: unknown;
            })[];
        };
        SyncClusterBatchView: {
            /** @description Resources stored */
            synced: number;
            failed: components["schemas"]["SyncFailureView"][];
        };
        SyncFailureView: {
            /** @description Index in the batch, from 0 */
            index: number;
            message: string;
        };
        OperationFactDetailView: {
            /** @description The checkpoint's id, or the restore's uuid; the action's id for a restore that no node took up */
            operation_id: string;
            /** @enum {string} */
            op_type: "checkpoint" | "restore";
            /** @enum {string} */
            result: "running" | "succeeded" | "failed" | "fallback";
            action_id: string;
            /** @description The created or restored checkpoint */
            checkpoint_id: string;
            cluster_id: string;
            /** @description Empty for a checkpoint, and for a restore that no node took up */
            restore_uuid: string;
            /** @description Of the workload */
            name: string;
            namespace: string;
            node_name: string;
            pod_uid: string;
            kind: string;
            platform: string;
            gpu_model: string;
            reason: string;
            /** @description Source of the stages: profile, criu or profile+criu */
            source: string;
            storage_tier: string;
            /** @description kubernetes or slurm */
            workload_type: string;
            failure_reason: string;
            failure_stage: string;
            /** Format: int64 */
            duration_ns: number;
            /**
             * Format: int64
             * @description How long the workload was stopped
             */
            pause_ns: number;
            /**
             * Format: int64
             * @description Bytes written or read, plus those that a parent already held
             */
            logical_bytes: number;
            /**
             * Format: int64
             * @description Written, or read
             */
            physical_bytes: number;
            /**
             * Format: int64
             * @description Milliseconds since the Unix epoch
             */
            started_at_ms: number;
            /**
             * Format: int64
             * @description Milliseconds since the Unix epoch
             */
            completed_at_ms: number | null;
            /**
             * Format: int64
             * @description Restores: when the restored pod became ready
             */
            pod_ready_at_ms: number | null;
            /**
             * Format: int64
             * @description Restores: when the restored pod was scheduled
             */
            pod_scheduled_at_ms: number | null;
            /** @description Restores made from the checkpoint, newest first */
            restores: components["schemas"]["OperationFactView"][];
            /** @description In the order of the reports */
            stages: components["schemas"]["OperationStageView"][];
        };
        OperationFactView: {
            /** @description The checkpoint's id, or the restore's uuid; the action's id for a restore that no node took up */
            operation_id: string;
            /** @enum {string} */
            op_type: "checkpoint" | "restore";
            /** @enum {string} */
            result: "running" | "succeeded" | "failed" | "fallback";
            action_id: string;
            /** @description The created or restored checkpoint */
            checkpoint_id: string;
            cluster_id: string;
            /** @description Empty for a checkpoint, and for a restore that no node took up */
            restore_uuid: string;
            /** @description Of the workload */
            name: string;
            namespace: string;
            node_name: string;
            pod_uid: string;
            kind: string;
            platform: string;
            gpu_model: string;
            reason: string;
            /** @description Source of the stages: profile, criu or profile+criu */
            source: string;
            storage_tier: string;
            /** @description kubernetes or slurm */
            workload_type: string;
            failure_reason: string;
            failure_stage: string;
            /** Format: int64 */
            duration_ns: number;
            /**
             * Format: int64
             * @description How long the workload was stopped
             */
            pause_ns: number;
            /**
             * Format: int64
             * @description Bytes written or read, plus those that a parent already held
             */
            logical_bytes: number;
            /**
             * Format: int64
             * @description Written, or read
             */
            physical_bytes: number;
            /**
             * Format: int64
             * @description Milliseconds since the Unix epoch
             */
            started_at_ms: number;
            /**
             * Format: int64
             * @description Milliseconds since the Unix epoch
             */
            completed_at_ms: number | null;
            /**
             * Format: int64
             * @description Restores: when the restored pod became ready
             */
            pod_ready_at_ms: number | null;
            /**
             * Format: int64
             * @description Restores: when the restored pod was scheduled
             */
            pod_scheduled_at_ms: number | null;
        };
        OperationStageView: {
            seq: number;
            /** @description As reported */
            stage: string;
            /** Format: int64 */
            bytes_in: number;
            /** Format: int64 */
            bytes_out: number;
            /** Format: int64 */
            duration_ns: number;
            reason: string;
            result: string;
        };
        ActionView: {
            /** Format: uuid */
            action_id: string;
            /**
             * Format: uuid
             * @description Its first checkpoint, or the restored one
             */
            checkpoint_id: string;
            /** @description initialized, processing, checkpoint_created, ready, error */
            status: string;
            /** @enum {string} */
            type: "checkpoint_pod" | "restore_pod" | "heartbeat";
            /** @description The request as received */
            details: unknown;
            gpu: string;
            platform: string;
            /**
             * Format: date-time
             * @description When it was requested
             */
            action_timestamp: string | null;
            /**
             * Format: date-time
             * @description When the last of its checkpoints was uploaded
             */
            checkpoint_completed_timestamp: string | null;
            /** @description The value of SVC_CHECKPOINT */
            checkpoint_name: string | null;
            delta: boolean | null;
            node_name: string | null;
            /**
             * Format: uuid
             * @description null for a full checkpoint, and for a delta whose parent is deleted
             */
            parent_checkpoint_id: string | null;
            reason: string | null;
            /**
             * Format: int64
             * @description Nanoseconds of all its attempts
             */
            total_duration: number | null;
            /**
             * Format: int64
             * @description Bytes of all its attempts
             */
            total_io: number | null;
            /** @description Kind of the pod's owner */
            workload_kind: string | null;
            /** @description Whether the workload continues after the dump; null for a restore */
            leave_running: boolean | null;
        };
        ActionDetailsView: {
            /** Format: uuid */
            action_id: string;
            type: string;
            status: string;
            /** @description The request as received */
            details: unknown;
            /** Format: uuid */
            checkpoint_id: string | null;
            /** @description All its checkpoints */
            checkpoint_ids: string[];
            checkpoint_name: string | null;
            /**
             * Format: int64
             * @description Bytes of all its checkpoints
             */
            checkpoint_size: number | null;
            /** @description As reported for its first checkpoint */
            checkpoint_info: unknown;
            /** Format: date-time */
            action_timestamp: string | null;
            /** Format: date-time */
            checkpoint_completed_timestamp: string | null;
            gpu: string | null;
            node_name: string | null;
            platform: string | null;
            reason: string | null;
            restore_path: string | null;
            /**
             * Format: int64
             * @description Nanoseconds
             */
            total_duration: number | null;
            /**
             * Format: int64
             * @description Bytes
             */
            total_io: number | null;
            /** @description Whether the workload continues after the dump; null for a restore */
            leave_running: boolean | null;
            /** @description Covered containers: the action is ready when each has a ready checkpoint. null if unknown */
            containers: string[] | null;
            /** @description The reason of the status error */
            error: string | null;
            /** @description Last known metadata of the pod */
            pod_metadata: unknown;
            /** @description Last known specification of the pod */
            pod_spec: unknown;
        };
        UploadActionPodBody: {
            /** @description The status of the action as its node sees it */
            status: string;
            action_id: string;
            pod_id?: string | null;
            persistent_volume_claim?: unknown;
            pod_metadata_spec?: unknown;
            pod_spec?: unknown;
        };
        CheckpointPodBody: {
            /** @description Set by the service; ignored here */
            action_id?: string | null;
            cluster_id?: string | null;
            namespace?: string | null;
            /** @description Kubernetes uid or row id */
            pod_id?: string | null;
            pod_name?: string | null;
            /** @enum {string} */
            kind?: "simple" | "rootfs" | "rootfsonly";
            /** @enum {string} */
            reason?: "heartbeat" | "manual";
            /**
             * @description false: the workload is released after the dump, as migrations require
             * @default true
             */
            leave_running?: boolean;
            /** @description Names of the containers to checkpoint; default: the running ones that the annotation `ccp-agent/containers` of the pod names, and without it, or if `leave_running` is false and there is no `reason`, all running ones */
            containers?: string[] | null;
            overrides?: components["schemas"]["CheckpointOverridesBody"] | (never | null);
            /**
             * @deprecated
             * @description Accepted and stored for older callers
             */
            runc_root?: string;
        };
        CheckpointOverridesBody: {
            asynchronous?: boolean;
            compression?: string | null;
            criu_opts?: string | null;
            directory?: string | null;
            /** @description GPU delta; null selects the default of the cluster */
            incremental?: boolean | null;
            /** Format: int32 */
            streams?: number;
        };
        CheckpointOperationView: {
            /** @enum {string} */
            status: "initialized" | "processing" | "checkpoint_created" | "ready" | "error" | "not_found";
            /** @description The reason of the status error, or the progress of the node */
            details: string | null;
        };
        CheckpointListItemView: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "initializing" | "updated_info" | "possibly_uploaded" | "ready" | "deprecated";
            gpu: string;
            platform: string;
            delta: boolean;
            checksum: string | null;
            info: unknown;
            name: string | null;
            /**
             * Format: uuid
             * @description null for a full checkpoint, and for a delta whose parent is unknown or deleted
             */
            parent_checkpoint_id: string | null;
            /** Format: uuid */
            action_id: string | null;
            container_name: string | null;
            /** @description Where its bytes are, as reported with the upload */
            restore_path: string | null;
            pod_name: string | null;
            namespace: string | null;
            /** Format: uuid */
            cluster_id: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When its controller confirmed that its bytes are gone
             */
            bytes_removed_at: string | null;
            /**
             * Format: int64
             * @description Slurm's job number; null for a pod
             */
            job_id: number | null;
        };
        CreateCheckpointBody: {
            /**
             * Format: uuid
             * @description Its action; the first request for an action gets the checkpoint that was created with it
             */
            action_id?: string;
            name?: string;
            container_name?: string;
            /** Format: uuid */
            parent_checkpoint_id?: string;
            /** @description Default: true if a parent is named */
            delta?: boolean;
        };
        CheckpointInfoBody: {
            /** @description Empty or missing without a GPU */
            gpu: string;
            platform: string;
            /** @description Any JSON; a profiling tree or CRIU's statistics anywhere in it become the stages of the fact */
            info?: unknown;
            /** @description The attempt failed, for this reason */
            error?: string;
        };
        CheckpointProgressBody: {
            /** @description The current stage */
            stage: string;
            /** Format: int64 */
            bytes_done?: number | null;
            /** Format: int64 */
            bytes_total?: number | null;
        };
        CheckpointUploadedBody: {
            restore_path?: string | null;
        };
        ForgottenCheckpointView: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description Its cluster, which may be deleted
             */
            cluster_id: string | null;
            /** @description Where its bytes were, as reported with the upload */
            restore_path: string | null;
            /** Format: date-time */
            forgotten_at: string;
            /**
             * Format: date-time
             * @description When whoever has its bytes may remove them
             */
            removable_at: string;
            /** @description Whether that time has come */
            removable: boolean;
        };
        RestorePodBody: {
            /** @description Checkpoint action to restore from */
            action_id: string;
            /** @enum {string} */
            reason: "nodeTermination" | "nodeUnschedulable" | "manual";
            /** @description Target cluster; default: the checkpoint's cluster */
            cluster_id?: string;
            /**
             * @description Restore the ready checkpoints of an action that is not ready
             * @default false
             */
            allow_partial?: boolean;
            /**
             * @description Restore though the machine lacks something that the one of the checkpoint had, such as a CPU flag. The audit names it
             * @default false
             */
            allow_incompatible?: boolean;
            overrides?: components["schemas"]["RestoreOverridesBody"] | (never | null);
        };
        RestoreOverridesBody: {
            criu_opts?: string | null;
            pod_name?: string | null;
            /** @description In which the new pod is made; default: that of the first one */
            namespace?: string | null;
            /** @description true: a new pod beside the owner of the first one, such as a Deployment, which would otherwise replace it */
            standalone?: boolean | null;
        };
        RestoreView: {
            /**
             * Format: uuid
             * @description Row id
             */
            id: string;
            /** Format: uuid */
            restore_uuid: string;
            /**
             * @description Furthest status reported
             * @enum {string}
             */
            status: "started" | "succeeded" | "failed";
            /** Format: uuid */
            action_id?: string | null;
            /** Format: uuid */
            checkpoint_id?: string | null;
            action_scope?: string | null;
            cluster_id?: string | null;
            workload_type?: string | null;
            error_message?: string | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            /** @description As received, oldest first */
            events: components["schemas"]["ReceivedEventView"][];
        } & {
            [key: string]: unknown;
        };
        ReceivedEventView: {
            /** @enum {string} */
            kind: "restore_start" | "restore_success" | "restore_error";
            /** Format: date-time */
            received_at: string;
        };
        RestoreEventBody: {
            /** @description A UUID that the node created for this restore */
            restore_uuid: string;
            action_id?: string | null;
            action_scope?: string | null;
            checkpoint_action_id?: string | null;
            checkpoint_id?: string | null;
            cluster_id?: string | null;
            completed_at?: string | null;
            error_message?: string | null;
            kind?: string | null;
            path_id?: string | null;
            profile_object_path?: string | null;
            reason?: string | null;
            restore_path?: string | null;
            started_at?: string | null;
            status?: string | null;
            storage_provider?: string | null;
            workload_type?: string | null;
            action_ids?: string[] | null;
            profile_available_on_error?: boolean | null;
            /** @description `pod_uid`, `pod_name`, `namespace` and `node_name` name the restored pod; `container_name` names the container, if each is restored by itself */
            metadata?: unknown;
            request_metadata?: unknown;
            /** @description A profiling tree or CRIU's statistics anywhere in it become the stages of the fact */
            runtime_metadata?: unknown;
        } & {
            [key: string]: unknown;
        };
        RestoreEventView: {
            /** Format: uuid */
            restore_uuid: string;
            /** @description Most advanced reported status: started, succeeded or failed */
            status: string;
        };
        CheckpointSlurmJobBody: {
            cluster_id: string;
            /** @description Set by the service; ignored here */
            action_id?: string | null;
            /** @description Slurm's job number, as text */
            job_id?: string | null;
            /** @description Without job_id: the newest running job with that name */
            job_name?: string | null;
            /** @enum {string} */
            kind?: "simple" | "rootfs" | "rootfsonly";
            /** @enum {string} */
            reason?: "heartbeat" | "manual" | "preemption";
            /**
             * @description false: the workload is released after the dump, as migrations require
             * @default true
             */
            leave_running?: boolean;
        };
        SlurmCheckpointView: {
            /** Format: uuid */
            id: string;
            /** @enum {string} */
            status: "initializing" | "updated_info" | "possibly_uploaded" | "ready" | "deprecated";
            gpu: string;
            checksum: string | null;
            /** @description The job's name, unless its node chose another */
            name: string | null;
            info: unknown;
            /** Format: uuid */
            action_id: string | null;
            /**
             * Format: int64
             * @description Slurm's job number
             */
            job_id: number | null;
            /** Format: uuid */
            cluster_id: string | null;
            /** Format: date-time */
            created_at: string;
            /**
             * Format: date-time
             * @description When its controller confirmed that its bytes are gone
             */
            bytes_removed_at: string | null;
        };
        PipelinePolicyView: {
            /** @description Whether somebody paused it: then it is active, and no beat acts */
            paused: boolean;
            /**
             * Format: int32
             * @description Number of ready checkpoints of each workload that it keeps; null: all
             */
            keep_last: number | null;
            /** @description Name of its cluster */
            cluster_name: string;
            /**
             * @description An inactive cluster has not reported for 5 minutes: the policy cannot request anything there
             * @enum {string}
             */
            cluster_status: "active" | "inactive";
            /**
             * Format: date-time
             * @description When it is due next, in the past while it waits for its cluster; within a maintenance window, when it looks for new workloads next. Null if it is disabled or paused
             */
            next_at: string | null;
            /**
             * Format: date-time
             * @description When its last completed beat was due, whether it found workloads or not. For a maintenance policy, the start of its window once it found any. Null if there is none
             */
            last_beat_at: string | null;
            /** @description Its last beat that requested checkpoints, and how they went; null if none did */
            last_firing: components["schemas"]["LastFiringView"] | (never | null);
            id: string;
            /** @description active or disabled */
            status: string;
            /**
             * Format: int32
             * @description Running pods that it acts on now
             */
            pod_count: number;
            name: string | null;
            /**
             * Format: int32
             * @description Jobs that it currently acts on; null if the filter is not for jobs
             */
            job_count: number | null;
            pipeline: components["schemas"]["PolicyPipeline"] | (never | null);
            /** @description When it was created */
            timestamp: string | null;
        };
        LastFiringView: {
            /**
             * Format: date-time
             * @description When the beat was due
             */
            due_at: string;
            /**
             * Format: int64
             * @description Workloads whose checkpoint it requested
             */
            requested: number;
            /** Format: int64 */
            ready: number;
            /** Format: int64 */
            failed: number;
        };
        PolicyPipeline: {
            trigger: components["schemas"]["HeartbeatTriggerBody"] | components["schemas"]["MaintenanceTriggerBody"];
            filter: components["schemas"]["NamespaceFilterBody"] | components["schemas"]["PodsFilterBody"] | components["schemas"]["JobsFilterBody"] | components["schemas"]["SlurmJobsFilterBody"];
            action: components["schemas"]["CheckpointActionBody"];
        };
        HeartbeatTriggerBody: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "heartbeat";
            config: components["schemas"]["HeartbeatTriggerConfig"];
        };
        HeartbeatTriggerConfig: {
            /**
             * Format: int32
             * @description At least 10
             */
            interval_seconds: number;
            /**
             * Format: int32
             * @description Number of ready checkpoints after which the policy is disabled
             */
            max_checkpoints?: number | null;
        };
        MaintenanceTriggerBody: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "maintenance";
            config: components["schemas"]["MaintenanceTriggerConfig"];
        };
        MaintenanceTriggerConfig: {
            /**
             * Format: date-time
             * @description When the checkpoints are requested
             */
            start_time: string;
            /**
             * Format: date-time
             * @description After this time none are requested
             */
            end_time: string;
        };
        NamespaceFilterBody: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "namespace";
            config: components["schemas"]["NamespaceFilterConfig"];
        };
        NamespaceFilterConfig: {
            cluster_id: string;
            namespace: string;
        };
        PodsFilterBody: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "pods";
            config: components["schemas"]["PodsFilterConfig"];
        };
        PodsFilterConfig: {
            cluster_id: string;
            /** @description Row ids, or Kubernetes uids */
            pod_ids?: string[];
        };
        JobsFilterBody: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "jobs";
            config: components["schemas"]["JobsFilterConfig"];
        };
        JobsFilterConfig: {
            cluster_id: string;
            namespace?: string | null;
            /** Format: int32 */
            priority?: number | null;
        };
        SlurmJobsFilterBody: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "slurm_jobs";
            config: components["schemas"]["SlurmJobsFilterConfig"];
        };
        SlurmJobsFilterConfig: {
            cluster_id: string;
            /** @description Slurm's job numbers, as text */
            job_ids?: string[];
        };
        CheckpointActionBody: {
            /** @enum {string} */
            type: "checkpoint";
            config: components["schemas"]["CheckpointActionConfig"];
        };
        CheckpointActionConfig: {
            /** @enum {string} */
            kind: "simple" | "rootfs" | "rootfsonly";
            runc_root?: string | null;
        };
        SlurmJobView: {
            /**
             * Format: int64
             * @description In the order of the first reports
             */
            id: number;
            /**
             * Format: int64
             * @description Slurm's own number
             */
            job_id: number;
            /** Format: uuid */
            cluster_id: string;
            name: string;
            /** @description In Slurm's notation: gpu-[1-2] */
            nodes: string;
            /** Format: int64 */
            priority: number;
            /** @description Slurm's state without its flags */
            status: string;
            /**
             * Format: int64
             * @description Unix epoch seconds; 0 until it has started
             */
            start_time: number;
            /**
             * Format: int64
             * @description Unix epoch seconds
             */
            submit_time: number;
            account: string | null;
            partition: string | null;
            work_dir: string | null;
            /** Format: int64 */
            num_cpus: number | null;
            /** Format: int64 */
            num_nodes: number | null;
            /**
             * Format: int64
             * @description As a shell shows it: 128 + the signal that ended it; null until it has ended
             */
            exit_code: number | null;
            /**
             * Format: int64
             * @description The highest exit code of its steps
             */
            derived_ec: number | null;
            /** @description The reason of its end, or for which it waits */
            derived_es: string | null;
            /**
             * Format: int64
             * @description Unix epoch seconds; 0 until it has ended, null if the end is unknown
             */
            end_time: number | null;
            /** @description Node that caused the failure */
            failed_node: string | null;
            /**
             * Format: int64
             * @description User who sent the kill or preempt signal
             */
            kill_requid: number | null;
            /**
             * Format: int64
             * @description Reason code of the previous transition
             */
            state_reason_prev: number | null;
            /**
             * Format: int64
             * @description Seconds
             */
            time_suspended: number | null;
        };
        SyncSlurmJobsBody: {
            /** Format: uuid */
            cluster_id: string;
            /** @description Printed by Slurm; ignored */
            meta?: unknown;
            /** @description Printed by Slurm; if it is not empty, the call failed */
            errors?: unknown;
            /** @description Printed by Slurm; ignored */
            warnings?: unknown;
            /** @description Printed by Slurm; ignored */
            last_update?: unknown;
            /** @description Printed by Slurm; ignored */
            last_backfill?: unknown;
            /** @description Each as squeue --json, sacct --json or slurmrestd prints it, of any release since 20.11, or with the names of the answer */
            jobs: unknown[];
        };
        SyncSlurmClustersBody: {
            /** Format: uuid */
            cluster_id: string;
            /** @description Printed by Slurm; ignored */
            meta?: unknown;
            /** @description Printed by Slurm; if it is not empty, the call failed */
            errors?: unknown;
            /** @description Printed by Slurm; ignored */
            warnings?: unknown;
            /** @description Printed by Slurm; ignored */
            last_update?: unknown;
            /** @description Printed by Slurm; ignored */
            last_backfill?: unknown;
            /** @description All of them, as slurmrestd (slurmdb) prints them, or flat */
            clusters: ({
                name: string;
                id?: unknown;
                status?: unknown;
                metadata?: unknown;
            } & {
                [key: string]: unknown;
            })[];
        };
        SyncSlurmNodesBody: {
            /** Format: uuid */
            cluster_id: string;
            /** @description Printed by Slurm; ignored */
            meta?: unknown;
            /** @description Printed by Slurm; if it is not empty, the call failed */
            errors?: unknown;
            /** @description Printed by Slurm; ignored */
            warnings?: unknown;
            /** @description Printed by Slurm; ignored */
            last_update?: unknown;
            /** @description Printed by Slurm; ignored */
            last_backfill?: unknown;
            /** @description All of them, as slurmrestd, sinfo --json (22.05) or scontrol show nodes --json prints them, or flat */
            nodes: ({
                name: string;
                id?: unknown;
                status?: unknown;
                cpus?: unknown;
                memory?: unknown;
                partitions?: unknown;
                reason?: unknown;
                alloc_cpus?: unknown;
                load?: unknown;
                alloc_memory?: unknown;
                free_memory?: unknown;
            } & {
                [key: string]: unknown;
            })[];
        };
        SyncSlurmPartitionsBody: {
            /** Format: uuid */
            cluster_id: string;
            /** @description Printed by Slurm; ignored */
            meta?: unknown;
            /** @description Printed by Slurm; if it is not empty, the call failed */
            errors?: unknown;
            /** @description Printed by Slurm; ignored */
            warnings?: unknown;
            /** @description Printed by Slurm; ignored */
            last_update?: unknown;
            /** @description Printed by Slurm; ignored */
            last_backfill?: unknown;
            /** @description All of them, as slurmrestd or scontrol show partitions --json prints them, or flat */
            partitions: ({
                name: string;
                state?: unknown;
                nodes?: unknown;
                total_nodes?: unknown;
                total_cpus?: unknown;
                priority_tier?: unknown;
                max_time?: unknown;
                default_time?: unknown;
                is_default?: unknown;
            } & {
                [key: string]: unknown;
            })[];
        };
        SyncWindowsBody: {
            /** Format: uuid */
            cluster_id: string;
            /** @description Printed by Slurm; ignored */
            meta?: unknown;
            /** @description Printed by Slurm; if it is not empty, the call failed */
            errors?: unknown;
            /** @description Printed by Slurm; ignored */
            warnings?: unknown;
            /** @description Printed by Slurm; ignored */
            last_update?: unknown;
            /** @description Printed by Slurm; ignored */
            last_backfill?: unknown;
            /** @description All reservations, flat or as Slurm prints them */
            maintenance_windows: ({
                name: string;
                start_time: unknown;
                end_time: unknown;
                flags?: unknown;
                nodes?: unknown;
                partitions?: unknown;
                metadata?: unknown;
                reason?: unknown;
                status?: unknown;
            } & {
                [key: string]: unknown;
            })[];
            /** @description The same under the name that Slurm prints */
            reservations?: ({
                name: string;
                start_time: unknown;
                end_time: unknown;
                flags?: unknown;
                nodes?: unknown;
                partitions?: unknown;
                metadata?: unknown;
                reason?: unknown;
                status?: unknown;
            } & {
                [key: string]: unknown;
            })[];
        };
        ProfileView: {
            profile_id: string;
            logical_model: string;
            exact_model: string;
            /** @description SHA-256 of the canonical JSON of the profile with its defaults, hexadecimal */
            profile_revision: string;
            /** @description SHA-256 of compatibility, exact model and hosting mode, hexadecimal */
            compatibility_key: string;
            /** @description Empty if the addresses of its workers are reported */
            backend_url: string;
            hosting_mode: string;
            spec: unknown;
            /** Format: int64 */
            estimated_cold_start_ms: number;
            /** Format: int32 */
            min_replicas: number;
            /** Format: int32 */
            max_replicas: number;
            /** Format: int32 */
            target_concurrency: number;
            /** Format: int32 */
            max_queue_depth: number;
            /** Format: int64 */
            scale_down_idle_seconds: number;
            engine_template?: unknown;
            /** @description true if the service scales it; absent otherwise */
            autoscale?: boolean;
            /** @description false if it is disabled; absent otherwise */
            enabled?: boolean;
        };
        ReportActivationBody: {
            profile_id: string;
            /** @description What the controller works towards: Active or Suspended */
            desired_state: string;
            /** @description One of Pending, Scheduling, Pulling, Restoring, Loading, Warming, Ready, Draining, Suspended, Failed, or any other text, which is stored */
            phase: string;
            ready: boolean;
            /** @description Base address of the worker, with or without /v1 */
            endpoint?: string | null;
            /**
             * Format: int64
             * @description The generation of the intent that the controller has observed. A report with an older one than before changes nothing; by default the one reported last
             */
            observed_generation?: number;
            /**
             * Format: uuid
             * @description The cluster that runs the workers. Reports of another cluster are refused for 90 seconds after the last report of this one, unless that reported Suspended
             */
            cluster_id?: string | null;
            /** @description All of its workers. Requests then go to each that is ready, and not to `endpoint`; and the failure or the end of a worker of the same cluster that events describe is taken from its events, not from the phase */
            workers?: components["schemas"]["ReportedWorker"][] | null;
            /** @description One sentence about its state, for example why a worker is started again */
            message?: string | null;
        };
        ReportedWorker: {
            /**
             * Format: uuid
             * @description Of its pod or process: the `workload_uid` of its lifecycle events
             */
            workload_uid: string;
            /** @description Base address, with or without /v1 */
            endpoint: string;
            /** @description It takes requests */
            ready: boolean;
            /**
             * @description How it started
             * @enum {string|null}
             */
            start_kind?: "cold" | "restore" | null;
            /** @description The artifact that it was restored from */
            artifact_id?: string | null;
            /** @description One sentence about it */
            message?: string | null;
        };
        CapacityIntentView: {
            /** Format: uuid */
            id: string;
            profile_id: string;
            /** @enum {string} */
            desired_state: "Active" | "Suspended";
            /** Format: int32 */
            desired_replicas: number;
            /** @description One of Pending, Fulfilled, Superseded, Expired, Failed */
            status: string;
            /**
             * Format: int64
             * @description Of the profile: a report applies to the intent if it has observed this generation or a later one
             */
            generation: number;
            /**
             * Format: date-time
             * @description Time of the first request
             */
            created_at: string;
            /**
             * Format: date-time
             * @description Time of the last change for any reason; not the order of requests
             */
            updated_at: string;
            /**
             * Format: date-time
             * @description Time of the last request
             */
            requested_at: string;
            /** Format: date-time */
            deadline: string | null;
            /** @description Why automatic scaling requested it; absent if anybody else did */
            reason?: string;
        };
        ArtifactView: {
            artifact_id: string;
            profile_id: string;
            logical_model: string;
            exact_model: string;
            hosting_mode: string;
            compatibility_key: string;
            checkpoint_mode: string;
            /** @description memory, local, shared or object */
            storage_tier: string;
            uri: string;
            source: string;
            /** @description One of ready, golden, quarantined, expired, deleted: as last reported; a reboot does not change it */
            status: string;
            /**
             * Format: int64
             * @deprecated
             * @description Not maintained: see observed_restores
             */
            restore_count: number;
            /** @description As registered; `promotion` and `expiry` show later changes */
            metadata: unknown;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
            checksum: string | null;
            parent_artifact_id: string | null;
            /** Format: int64 */
            logical_bytes: number | null;
            /** Format: int64 */
            physical_bytes: number | null;
            /** Format: int64 */
            reused_bytes: number | null;
            /** Format: int64 */
            written_bytes: number | null;
            /**
             * Format: date-time
             * @description When a worker last became ready from it
             */
            last_restored_at: string | null;
            /**
             * Format: int64
             * @description Starts from it that became ready
             */
            observed_restores: number | null;
            /**
             * Format: int64
             * @description Starts from it, ready or not
             */
            observed_restore_attempts: number | null;
            /**
             * Format: date-time
             * @description When its controller confirmed that its bytes are gone
             */
            bytes_removed_at: string | null;
            /** @description Computed at each read */
            residency: components["schemas"]["ArtifactResidencyView"] | (never | null);
        };
        ArtifactResidencyView: {
            /** @description restorable, or the first check that fails: deleted, not_ready, no_uri, parent_missing, node_unknown, node_gone, node_not_ready, node_rebooted, flags_changed, restore_failed */
            state: string;
            /** @description One sentence that names the evidence */
            reason: string;
            /** @description Whether a reboot of its node deletes it: on the tiers memory and local */
            boot_tied: boolean;
            /** @description The tier that still holds the original, if it is a copy: it is restored from that once the copy is not there; null if it is none, or nobody knows of an original */
            original_tier: string | null;
            /** @description Whether it is a copy that a reboot of its node deleted, while the original and the node are there: a promotion to its tier makes it again */
            copy_lost: boolean;
            /** @description The boot of the node in which it was taken */
            artifact_boot_id: string | null;
            /** @description The present boot of the node, as its cluster last reported */
            node_boot_id: string | null;
            node_name: string | null;
            node_status: string | null;
            /** Format: date-time */
            node_last_sync: string | null;
            /** @description Whether engines start with the flags it was taken with; null if one of them is not known */
            flags_verified: boolean | null;
        };
        RegisterArtifactBody: {
            artifact_id: string;
            /** @description How the checkpoint was taken */
            checkpoint_mode: string;
            /** @description Which workers it fits: the compatibility_key of a profile */
            compatibility_key: string;
            profile_id: string;
            /** @description Its location */
            uri: string;
            checksum?: string | null;
            /**
             * Format: int64
             * @description What a restore of it and of all its ancestors brings back
             */
            logical_bytes?: number | null;
            /** @description The artifact whose difference it holds */
            parent_artifact_id?: string | null;
            /**
             * Format: int64
             * @description Its size on the storage
             */
            physical_bytes?: number | null;
            /**
             * Format: int64
             * @description What it shares with its parent
             */
            reused_bytes?: number | null;
            /** @description Who took it; `controller` by default */
            source?: string | null;
            /**
             * @description From hot to cold; `object` by default
             * @enum {string|null}
             */
            storage_tier?: "memory" | "local" | "shared" | "object" | null;
            /**
             * Format: int64
             * @description What was written to take it
             */
            written_bytes?: number | null;
            /** @description Any JSON. The service reads `node_name` and `node_boot_id` (of the node that holds it), `cluster_id`, `engine_flags`, and `machine` (on which it was taken, as `artifacts/lookup` names it) */
            metadata?: unknown;
        };
        LookupArtifactsBody: {
            /** @description The profile whose next worker is to be restored; or give a compatibility key */
            profile_id?: string;
            /** @description What a restored worker must be compatible with; or give a profile */
            compatibility_key?: string;
            /** @description The node of the restored worker */
            node_name?: string | null;
            /** @description The machine of the restored worker, which is compared with that on which each artifact was taken */
            machine?: components["schemas"]["MachineBody"];
        };
        MachineBody: {
            /** @description As uname -m prints it */
            architecture?: string;
            /**
             * Format: int32
             * @description Bytes
             */
            page_size?: number;
            /** @description Version of CRIU */
            criu?: string;
            /** @description Flags of /proc/cpuinfo */
            cpu_flags?: string[];
            /** @description Such as inotify, ipv6, seccomp and tun: of the machine of a restore, what its kernel has; of that of an artifact, what its images need */
            kernel_features?: string[];
            libc?: string;
            /** @description v1, v2 or hybrid */
            cgroup_mode?: string;
            /** @description That of the image of its container */
            image_digest?: string;
            /** @description The model of each GPU */
            gpus?: string[];
            /** @description Version of the driver */
            gpu_driver?: string;
        };
        ArtifactCandidateView: {
            artifact: components["schemas"]["ArtifactView"];
            /** @description It is restorable, and no difference from what is requested blocks */
            restorable: boolean;
            mismatches: components["schemas"]["ArtifactMismatchView"][];
        };
        ArtifactMismatchView: {
            property: string;
            /** @description Of cpu_flags, kernel_features and gpus, what the machine lacks; null if it is not known */
            artifact_value: unknown;
            wanted_value: unknown;
            /**
             * @description block: it cannot be restored there; warn: it may work; unknown: no mismatch, as far as is known
             * @enum {string}
             */
            severity: "block" | "warn" | "unknown";
        };
        UpdateArtifactBody: {
            /**
             * @description Operators set golden and quarantined, and take them back with ready; controllers report ready or expired
             * @enum {string|null}
             */
            status?: "ready" | "golden" | "quarantined" | "expired" | null;
            /**
             * @deprecated
             * @description Kept for old clients; the service does not use it
             */
            restore_count_increment?: boolean | null;
            /**
             * @description The result of a pending promotion
             * @enum {string}
             */
            promotion?: "confirmed" | "failed";
            /**
             * @description Of the promotion whose result this is: its tier. A promotion to another tier stays pending, and the answer is `no_promotion_pending`; by default, the result is that of whatever promotion is pending
             * @enum {string|null}
             */
            tier?: "memory" | "local" | "shared" | "object" | null;
            /** @description Of a confirmed promotion: the node that holds a copy of the bytes now, while the original stays where it was; by default, the known one, and the original is known to stay only in the object storage of the service */
            node_name?: string | null;
            /** @description Of a confirmed promotion: the present boot of that node; by default, the known one, unless `node_name` is another node than before */
            node_boot_id?: string | null;
        };
        ProfileHostingView: {
            profile_id: string;
            hosting_mode: string;
            profile_revision: string;
            compatibility_key: string;
            /** @description Who takes checkpoints of its workers: the owner in the spec, else `controller`; `none` if it does not checkpoint */
            checkpoint_owner: string;
            /** @description Whether its workers are stand-ins on a CPU */
            cpu_fixture: boolean;
            engine_template?: unknown;
            /** @description The open request */
            checkpoint_request?: components["schemas"]["CheckpointRequestView"] | (never | null);
        };
        CheckpointRequestView: {
            profile_id: string;
            /** @enum {string} */
            kind: "checkpoint" | "restart";
            /**
             * Format: uuid
             * @description Identifies this attempt
             */
            request_id: string;
            /** @description One of pending, running, succeeded, failed */
            status: string;
            replace_existing: boolean;
            /** Format: date-time */
            requested_at: string;
            /** Format: date-time */
            started_at: string | null;
            /** Format: date-time */
            completed_at: string | null;
            /** @description Once it succeeded */
            artifact_id: string | null;
            /** @description Why it failed */
            error: string | null;
            reason: string | null;
        };
        UpdateCheckpointRequestBody: {
            /**
             * Format: uuid
             * @description The reported attempt
             */
            request_id: string;
            /** @enum {string} */
            status: "running" | "succeeded" | "failed";
            /** @description The artifact that it produced; by default, the newest since the request */
            artifact_id?: string | null;
            /** @description Why it failed */
            error?: string | null;
        };
        RecordLifecycleEventBody: {
            /**
             * Format: int32
             * @enum {integer}
             */
            schema_version: 1;
            /**
             * Format: uuid
             * @description Generated by the sender, the same on every retry
             */
            event_id: string;
            /** Format: date-time */
            occurred_at: string;
            /** Format: uuid */
            cluster_id: string;
            /** @description Null for node.booted only */
            profile_id: string | null;
            /** @enum {string} */
            kind: "worker.scheduled" | "worker.pulling" | "worker.restoring" | "worker.loading" | "worker.warming" | "model.weights_ready" | "model.ready" | "worker.draining" | "worker.stopped" | "worker.failed" | "checkpoint.started" | "checkpoint.completed" | "checkpoint.failed" | "restore.started" | "restore.completed" | "restore.failed" | "route.published" | "route.withdrawn" | "node.booted";
            /** @description Any JSON; the service reads `restore_checkpoint_path` of worker.restoring and restore.started, and `message` or `cause` of restore.failed */
            payload?: unknown;
            /**
             * Format: int64
             * @description Increases within a cluster and activation; 0 if that does not apply
             */
            sequence?: number;
            /**
             * Format: int64
             * @description The generation of the intent for which the worker was created
             */
            generation?: number;
            /** Format: uuid */
            action_id?: string | null;
            /** Format: uuid */
            activation_id?: string | null;
            artifact_id?: string | null;
            /**
             * Format: uuid
             * @description Of the node, from Kubernetes
             */
            node_uid?: string | null;
            boot_id?: string | null;
            /**
             * Format: uuid
             * @description Of the worker's pod, from Kubernetes
             */
            workload_uid?: string | null;
        };
    };
    responses: never;
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    list_outbox_events: {
        parameters: {
            query: {
                /** @description Name that the consumer gives itself */
                consumer_id: string;
                /** @description Only watch: the name is not made a consumer, so no event is kept for it. Default: false */
                watch?: boolean;
                /** @description After this event; default: the acknowledged one, and for a reader that watches the newest one */
                after?: number;
                limit?: number;
                /** @description How long to wait for an event if there is none, in milliseconds; default: 0 */
                wait_ms?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutboxEventView"][];
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Cursor before the oldest stored event (oldest_event_id), or beyond the newest event (head) */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_outbox_consumers: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OutboxConsumerView"][];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    ack_outbox: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["AckOutboxBody"];
            };
        };
        responses: {
            /** @description No content */
            204: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request, or an id above the newest event */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The consumer never read */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    get_user: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Id of the caller */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                    "application/json": components["schemas"]["UserView"];
                };
            };
            /** @description No valid bearer */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Caller unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    save_cluster: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveClusterBody"];
            };
        };
        responses: {
            /** @description Cluster id */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad request or no cluster name */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Creation failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_workloads: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Those of this cluster */
                cluster_id?: string;
                status?: "queued" | "applied" | "refused";
                /** @description The `id` after which the page begins */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ListedWorkloadView"][];
                };
            };
            /** @description Invalid filter */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    get_workload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedWorkloadView"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    update_workload: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["WorkloadOutcomeBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["QueuedWorkloadView"];
                };
            };
            /** @description Not found */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Another outcome was reported before */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_nodes: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                id?: string;
                cluster_id?: string;
                /** @description A part of the name; case does not matter */
                name?: string;
                /** @description Only nodes with GPUs, or only those without */
                compute_type?: "gpu" | "cpu";
                /** @description Ready, NotReady or Unknown; or several, separated by commas */
                status?: string;
                /** @description Also those of inactive clusters and on nodes that were not synced for over 5 minutes, until they are reported as deleted. Default: false */
                silent?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeView"][];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_pods: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Row id or Kubernetes uid */
                id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PodView"][];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_pods_paginated: {
        parameters: {
            query?: {
                /** @description Rows per page, by default 50, clamped to 1000 */
                limit?: number;
                offset?: number;
                /** @description Row id after which the page begins, in the same order: later pages cost no more than the first */
                after?: string;
                /** @description Default: true */
                ascending?: boolean;
                status?: string;
                namespace?: string;
                cluster_id?: string;
                /** @description Also those of inactive clusters and on nodes that were not synced for over 5 minutes, until they are reported as deleted. Default: false */
                silent?: boolean;
                /** @description Default: name */
                sort?: "name" | "namespace" | "status" | "age" | "node" | "ready" | "restarts" | "start_time";
                /** @description Row id or Kubernetes uid */
                id?: string;
                /** @description A part of the name; case does not matter */
                pod_name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PodPageView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_jobs_paginated: {
        parameters: {
            query?: {
                /** @description Rows per page, by default 50, clamped to 1000 */
                limit?: number;
                offset?: number;
                /** @description Row id after which the page begins, in the same order: later pages cost no more than the first */
                after?: string;
                /** @description Default: true */
                ascending?: boolean;
                status?: string;
                namespace?: string;
                cluster_id?: string;
                /** @description Also those of inactive clusters and on nodes that were not synced for over 5 minutes, until they are reported as deleted. Default: false */
                silent?: boolean;
                /** @description Default: name. By duration, jobs that run count as longer than all that have ended */
                sort?: "name" | "namespace" | "status" | "age" | "priority" | "completions" | "duration" | "start_time";
                /** @description A part of the name; case does not matter */
                job_name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["JobPageView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    sync_cluster: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncClusterBody"];
            };
        };
        responses: {
            /** @description Internal id of the resource */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Cluster or node unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Sync failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    sync_cluster_batch: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncClusterBatchBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SyncClusterBatchView"];
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Cluster unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Body too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    get_operation: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OperationFactDetailView"];
                };
            };
            /** @description No attempt with that id was reported */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_actions: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Only this one */
                action_id?: string;
                type?: "checkpoint_pod" | "restore_pod" | "heartbeat";
                /** @description Those that this cluster carries out */
                cluster_id?: string;
                /** @description true: only those that wait for a controller or a node, which are neither ready nor in error */
                open?: boolean;
                /** @description The `action_id` after which the page begins */
                after?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionView"][];
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    get_action: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ActionDetailsView"];
                };
            };
            /** @description Not an id */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Action unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    upload_action_pod: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadActionPodBody"];
            };
        };
        responses: {
            /** @description Action id */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Action unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    checkpoint_pod: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckpointPodBody"];
            };
        };
        responses: {
            /** @description Action id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Pod not named, or a container that does not run */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Nothing to checkpoint */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The pod's node has been silent for over 5 minutes */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    get_checkpoint_status: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                action_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointOperationView"];
                };
            };
            /** @description Action unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    get_checkpoint_path: {
        parameters: {
            query?: {
                name?: string;
                /** @description Only checkpoints of this cluster; others may have workloads of the same name */
                cluster_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Restore path */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description No ready checkpoint with that name */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_checkpoints: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Comma-separated checkpoint ids, at most 450 */
                ids?: string;
                cluster_id?: string;
                status?: "initializing" | "updated_info" | "possibly_uploaded" | "ready" | "deprecated";
                /** @description The whole name, of which many checkpoints may be */
                exact_name?: string;
                /** @description true: only deprecated ones that were uploaded, and whose bytes nobody has confirmed to be gone */
                awaiting_removal?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointListItemView"][];
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    create_checkpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateCheckpointBody"];
            };
        };
        responses: {
            /** @description Checkpoint id */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Action or parent unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The action is over, or is a restore */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    put_checkpoint_info: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckpointInfoBody"];
            };
        };
        responses: {
            /** @description Checkpoint id */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Checkpoint unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Move not allowed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    report_checkpoint_progress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckpointProgressBody"];
            };
        };
        responses: {
            /** @description No content */
            204: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Checkpoint unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The checkpoint has ended */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    report_checkpoint_uploaded: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckpointUploadedBody"];
            };
        };
        responses: {
            /** @description Checkpoint id */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Checkpoint unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Move not allowed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    deprecate_checkpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Checkpoint id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Checkpoint unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    confirm_checkpoint_removal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Checkpoint unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Not deprecated */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_forgotten_checkpoints: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Comma-separated checkpoint ids, at most 450 */
                ids?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ForgottenCheckpointView"][];
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    restore_pod: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RestorePodBody"];
            };
        };
        responses: {
            /** @description New action id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Action unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The action is not ready to restore */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_restores: {
        parameters: {
            query?: {
                restore_uuid?: string;
                status?: string;
                workload_type?: string;
                cluster_id?: string;
                action_scope?: string;
                checkpoint_id?: string;
                action_id?: string;
                /** @description Maximum number of restores, clamped to 1000 */
                limit?: number;
                /** @description Restores to skip */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoreView"][];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    record_restore_start: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RestoreEventBody"];
            };
        };
        responses: {
            /** @description Recorded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoreEventView"];
                };
            };
            /** @description Invalid restore event */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Event not persisted */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    record_restore_success: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RestoreEventBody"];
            };
        };
        responses: {
            /** @description Recorded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoreEventView"];
                };
            };
            /** @description Invalid restore event */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Event not persisted */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    record_restore_error: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RestoreEventBody"];
            };
        };
        responses: {
            /** @description Recorded */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoreEventView"];
                };
            };
            /** @description Invalid restore event */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Event not persisted */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    get_file_url: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description May hold slashes */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Download address */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad path */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description No such file */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The file is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The object storage fails */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    create_file_url: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description May hold slashes */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Upload address */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad path */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    delete_file: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description May hold slashes */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad path */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The object storage fails */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_directory: {
        parameters: {
            query?: {
                /** @description Maximum number of names, clamped to 1000 */
                limit?: number;
                /** @description Names after this one */
                after?: string;
            };
            header?: never;
            path: {
                /** @description May hold slashes */
                path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": string[];
                };
            };
            /** @description Bad path */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The object storage fails */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    checkpoint_slurm_job: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckpointSlurmJobBody"];
            };
        };
        responses: {
            /** @description Action id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Job not named */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Cluster unknown, or no such running job */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_slurm_checkpoints: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Comma-separated checkpoint ids, at most 450 */
                ids?: string;
                /** @description Slurm's job number */
                job_id?: string;
                cluster_id?: string;
                status?: "initializing" | "updated_info" | "possibly_uploaded" | "ready" | "deprecated";
                /** @description A part of the name; case does not matter */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlurmCheckpointView"][];
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    create_slurm_checkpoint: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["CreateCheckpointBody"];
            };
        };
        responses: {
            /** @description Checkpoint id */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Action or parent unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The action is over, is a restore, or does not belong to a Slurm job */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    put_slurm_checkpoint_info: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckpointInfoBody"];
            };
        };
        responses: {
            /** @description Checkpoint id */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Checkpoint unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Move not allowed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    report_slurm_checkpoint_uploaded: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["CheckpointUploadedBody"];
            };
        };
        responses: {
            /** @description Checkpoint id */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Checkpoint unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Move not allowed */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    deprecate_slurm_checkpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Checkpoint id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Checkpoint unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    get_pipeline_policy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PipelinePolicyView"];
                };
            };
            /** @description Policy unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_slurm_jobs: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Comma-separated Slurm job ids, at most 1000 */
                job_ids?: string;
                cluster_id?: string;
                /** @description Only jobs that have ended, or only those that have not */
                ended?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlurmJobView"][];
                };
            };
            /** @description Invalid query */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Fetch failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    sync_slurm_jobs: {
        parameters: {
            query?: {
                /** @description If it is missing in the body */
                cluster_id?: string;
            };
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncSlurmJobsBody"];
            };
        };
        responses: {
            /** @description Synchronised: `synced N jobs` */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Cluster unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Body too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Sync failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    sync_slurm_clusters: {
        parameters: {
            query?: {
                /** @description If it is missing in the body */
                cluster_id?: string;
            };
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncSlurmClustersBody"];
            };
        };
        responses: {
            /** @description Synchronised: `synced N …` */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad request, or the output of a failed call */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Cluster unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    sync_slurm_nodes: {
        parameters: {
            query?: {
                /** @description If it is missing in the body */
                cluster_id?: string;
            };
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncSlurmNodesBody"];
            };
        };
        responses: {
            /** @description Synchronised: `synced N …` */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad request, or the output of a failed call */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Cluster unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    sync_slurm_partitions: {
        parameters: {
            query?: {
                /** @description If it is missing in the body */
                cluster_id?: string;
            };
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncSlurmPartitionsBody"];
            };
        };
        responses: {
            /** @description Synchronised: `synced N …` */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad request, or the output of a failed call */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Cluster unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    sync_maintenance_windows: {
        parameters: {
            query?: {
                /** @description If it is missing in the body */
                cluster_id?: string;
            };
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SyncWindowsBody"];
            };
        };
        responses: {
            /** @description Synchronised: `synced N maintenance windows` */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Bad request, or the output of a failed call */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Cluster unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Internal error */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_profiles: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description A part of the id or of a name of the model; case does not matter */
                name?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileView"][];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    get_profile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                profile_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileView"];
                };
            };
            /** @description Profile unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    report_activation: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["ReportActivationBody"];
            };
        };
        responses: {
            /** @description No content */
            204: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Profile or cluster unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Another cluster runs its workers */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_capacity_intents: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Only of this profile */
                profile_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapacityIntentView"][];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    list_artifacts: {
        parameters: {
            query?: {
                /** @description Only this one */
                artifact_id?: string;
                profile_id?: string;
                /** @description Its location, of whichever profile */
                uri?: string;
                /** @description One of ready, golden, quarantined, expired, deleted */
                status?: string;
                /** @description Its checkpoint_mode */
                mode?: string;
                /** @description The cluster that holds it, as its registration or its checkpoint named it */
                cluster_id?: string;
                /** @description true: only deleted and expired ones whose bytes nobody has confirmed to be gone */
                awaiting_removal?: boolean;
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactView"][];
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    register_artifact: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RegisterArtifactBody"];
            };
        };
        responses: {
            /** @description Artifact already registered */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactView"];
                };
            };
            /** @description Artifact newly registered */
            201: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactView"];
                };
            };
            /** @description Bad request, or an unsuitable parent */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Profile unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Another artifact has this id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    lookup_artifacts: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LookupArtifactsBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactCandidateView"][];
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Profile unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    get_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                artifact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactView"];
                };
            };
            /** @description Artifact unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    update_artifact: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                artifact_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                "application/json": components["schemas"]["UpdateArtifactBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ArtifactView"];
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description This role may not set the status */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Artifact unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Deleted, expired, or no promotion is pending */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    confirm_artifact_removal: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                artifact_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Artifact unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Neither deleted nor expired */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    get_profile_hosting: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                profile_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileHostingView"];
                };
            };
            /** @description Profile unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    update_profile_checkpoint: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                profile_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateCheckpointRequestBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointRequestView"];
                };
            };
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Never requested */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Another attempt, or a step backwards */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
    record_lifecycle_event: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["RecordLifecycleEventBody"];
            };
        };
        responses: {
            /** @description No content */
            204: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad request, version or kind */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description No valid bearer */
            401: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Cluster or profile unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Event id seen before */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
        };
    };
}
