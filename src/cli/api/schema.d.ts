// Written by `npm run openapi`, for the operations in operations.json.

export interface paths {
    "/v1/audit": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List changes, newest first
         * @description One entry for each change made through the API, written in the transaction of the change: who changed what, when, and in which request.
         */
        get: operations["list_audit_entries"];
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
    "/v1/organisations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List organisations
         * @description Admins of organisation scope see their own organisation.
         */
        get: operations["list_organisations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List access tokens without secrets, newest first
         * @description Admins of organisation scope see those of their own organisation, admins of platform scope those of all.
         */
        get: operations["list_tokens"];
        put?: never;
        post?: never;
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
    "/v1/plugins": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List plugins, each in one version
         * @description The requested version; else the latest; else, if that does not fit the daemon, the newest that does. Plugins without one are left out, and named in a header. Limit and offset count names of plugins.
         */
        get: operations["list_plugins"];
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
        /**
         * List clusters of the organisation
         * @description Clusters by name, with their kind, their status and the time of their last report.
         */
        get: operations["list_clusters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
    "/v1/instances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List instances, newest first
         * @description As the marketplace reported within the last 5 seconds, or last if it does not answer. `orphaned` are machines with a tag of this service and without a record; those of unknown organisations are shown to admins.
         */
        get: operations["list_instances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance_id}/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the state of an instance
         * @description The state that the marketplace reported within the last 5 seconds, or its last one if it does not answer.
         */
        get: operations["get_instance_status"];
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
    "/v1/jobs/{job_id}/pods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pods of a job
         * @description The first 1,000 pods that the job owns, by name, and the number of all.
         */
        get: operations["list_job_pods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/operations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List operation facts, newest first
         * @description The attempts to checkpoint and to restore that nodes have reported, or that nobody reported in time, without their stages, filtered by any of the parameters. The `Link` header leads to the next page.
         */
        get: operations["list_operations"];
        put?: never;
        post?: never;
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
    "/v1/actions/from_pod/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the newest action of a pod
         * @description The id of the action that was created last for the pod.
         */
        get: operations["get_newest_pod_action"];
        put?: never;
        post?: never;
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
        post?: never;
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
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/restore/job": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a restore of a Slurm job
         * @description The controller of the cluster gets an event to restore the first ready checkpoint of the action. The answer is the id of a new action.
         */
        post: operations["restore_slurm_job"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
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
        /**
         * Pause a policy, let it go on, or change how many checkpoints it keeps
         * @description Members that are left out stay. While a policy is paused, no beat acts; actions that it has requested go on. A heartbeat goes on at the next time of its grid, and a window acts while it is open. What it keeps can also be changed once it is disabled. `expected` names what the caller knows of the policy, so that nobody takes back what somebody else has changed meanwhile.
         */
        patch: operations["update_pipeline_policy"];
        trace?: never;
    };
    "/v1/policy/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List policies, newest first
         * @description Policies without their pipelines, with the total number of policies.
         */
        get: operations["list_policies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy/{policy_id}/activity": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a policy did
         * @description The actions that the policy requested, counted by state, and the newest of them.
         */
        get: operations["get_policy_activity"];
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
    "/v1/slurm/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Slurm nodes
         * @description Nodes as they were last synchronised, by cluster and name. Those that the last synchronisation lacked are STALE.
         */
        get: operations["list_slurm_inventory_nodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/partitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Slurm partitions
         * @description Partitions as they were last synchronised, by cluster and name. Those that the last synchronisation lacked are STALE.
         */
        get: operations["list_slurm_inventory_partitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/maintenance_window": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List maintenance windows
         * @description Sorted by start. Past ones are listed too.
         */
        get: operations["list_maintenance_windows"];
        put?: never;
        post?: never;
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
    "/v1/inference/activations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List what runs of each profile
         * @description The last report on each profile: its phase, whether it is ready, and its endpoint.
         */
        get: operations["list_activations"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/profiles/{profile_id}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request a state and a number of replicas for a profile
         * @description A repeated request for the same state and number of replicas reuses the row and refreshes requested_at; a request for others supersedes it. The generation increases if there is something to do.
         */
        post: operations["set_profile_state"];
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
        post?: never;
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
        patch?: never;
        trace?: never;
    };
    "/v1/inference/artifacts/{artifact_id}/ancestry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the chain of an artifact, oldest first
         * @description Its ancestors in the order in which they are restored, itself last.
         */
        get: operations["list_artifact_ancestry"];
        put?: never;
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
    "/v1/inference/profiles/{profile_id}/progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the progress of a profile's start
         * @description The steps of its last start: lifecycle events, reported phases, and requested checkpoints and restarts.
         */
        get: operations["get_profile_progress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/experiments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List experiments with observation counts, the newest first
         * @description Experiments with the number of observations that belong to each, filtered by status, profile and name.
         */
        get: operations["list_experiments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List inference keys without secrets
         * @description Newest first, with their spending.
         */
        get: operations["list_inference_keys"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/keys/{key_id}": {
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
         * Change an inference key
         * @description Members that are left out stay. `expected` names what the caller knows of the key, so that nobody takes back what somebody else has changed meanwhile. The next request on any replica is admitted or refused by the changed budget, rate and models. A budget may be lower than what is spent and reserved: admitted requests are served and charged, and no others are admitted. A changed rate keeps what is left in the bucket, and a first one begins with an empty one.
         */
        patch: operations["update_inference_key"];
        trace?: never;
    };
    "/v1/inference/routes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List routes by logical model
         * @description Each logical model with its targets and the limits of its route.
         */
        get: operations["list_routes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/routes/{logical_model}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Delete the route of a logical model
         * @description Requests for the model are answered 404 from now on, also those that wait. Requests in flight are served, and its profiles stay. The deletion has a generation, which a later route of the model continues.
         */
        delete: operations["delete_route"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/routes/{logical_model}/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get what a request for a logical model would find now
         * @description The targets in the order in which they are tried, each with its state, its requests in flight and waiting, and its ready workers; and what would happen to a request that arrives now. It sends no request and wakes nothing. Counts of other replicas of the service may be a quarter of a second old. Which workers and targets have just failed is known to the replica that tried them.
         */
        get: operations["get_route_state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/fleets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List fleets by id
         * @description Fleets with their profiles and budgets.
         */
        get: operations["list_fleets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/gpu": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List GPU samples by node
         * @description The newest sample of each GPU in the window. Earlier ones are in its history.
         */
        get: operations["list_gpu_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/pods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pod utilisation samples
         * @description Newest first. A pod shows what was measured of it as a whole, else the sum over its containers.
         */
        get: operations["list_pod_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/pods/top/memory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pods by memory use
         * @description The newest sample of each pod that was reported in the last 5 minutes; largest first.
         */
        get: operations["list_top_memory_pods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/k8": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List collected Kubernetes values
         * @description The newest samples of each node in the last 5 minutes.
         */
        get: operations["list_k8_metrics"];
        put?: never;
        post?: never;
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
        AuditEntryView: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            occurred_at: string;
            /** @description Who */
            actor_id: string;
            actor_role: string;
            /** @description Id of the operation */
            action: string;
            /** @description Kind of the changed resource */
            resource_type: string;
            /** @description Which one */
            resource_id: string | null;
            request_id: string;
            details: unknown;
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
        OrganisationView: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            created_at: string;
        };
        ListedTokenView: {
            /** Format: uuid */
            token_id: string;
            name: string;
            /** @enum {string} */
            role: "admin" | "operator" | "viewer" | "controller";
            /** @enum {string} */
            scope: "organisation" | "platform";
            /** Format: uuid */
            organisation_id: string;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            expires_at: string | null;
            /**
             * Format: date-time
             * @description Stored to the minute
             */
            last_used_at: string | null;
            /** Format: date-time */
            revoked_at: string | null;
            organisation_name: string;
            /**
             * @description By the clock of the database
             * @enum {string}
             */
            status: "active" | "expired" | "revoked";
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
        PluginView: {
            name: string;
            version: string;
            /** @description The version that a request without one gets */
            latest_version: string;
            /** Format: date-time */
            published_at: string;
            /** @description Total of its files, in bytes */
            size: number;
            /** @description AVAILABLE, or OUTDATED if another version is the latest */
            status: string;
            /** @description SUPPORTED, or EXPERIMENTAL for alpha builds */
            type: string;
            /** @description In the order of the uploads */
            binaries: components["schemas"]["PluginFileView"][];
            /** @description In the order of the uploads */
            libraries: components["schemas"]["PluginFileView"][];
        };
        PluginFileView: {
            /** @description Name for the download */
            name: string;
            /** @description Target folder */
            install_dir: string;
            /** @description MD5 or SHA-256, hexadecimal, as its publisher stated it */
            checksum: string | null;
        };
        ClusterView: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description active if it reported in the last 5 minutes, else inactive */
            status: string;
            /** @enum {string} */
            kind: "kubernetes" | "slurm";
            /**
             * Format: date-time
             * @description Time of its last report
             */
            last_sync: string | null;
            /** @description As last reported */
            metadata: unknown;
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
        InstanceView: {
            /** @description For an orphaned one the marketplace’s */
            id: string;
            name: string;
            cloud_provider: string;
            instance_type: string;
            region: string;
            /** @description pending until the result is known; then the marketplace’s status, or deleting, deleted, error, orphaned */
            status: string;
            /** Format: date-time */
            created_at: string | null;
            /** @description Why it failed, or why its deletion is not confirmed yet */
            reason: string | null;
            /**
             * Format: int32
             * @description Cents, as the marketplace reported; null until then
             */
            hourly_price: number | null;
            /** @description US dollars until now, as the marketplace estimates */
            cost_estimate: string | null;
            /** @description Since when it runs, as the marketplace reported */
            active_at: string | null;
        };
        InstanceStatusView: {
            instance_id: string;
            /** @description pending until the result is known; then the marketplace’s status, or deleting, deleted, error, orphaned */
            status: string;
            /** @description Further properties; `stale_since` if the marketplace has not shown the machine since then */
            metadata: unknown;
            /** Format: date-time */
            created_at: string | null;
            ip_address: string | null;
            ssh_user: string | null;
            /** Format: int32 */
            ssh_port: number | null;
        };
        PodPageView: {
            pods: components["schemas"]["PodView"][];
            /** Format: int64 */
            total_count: number;
            available_filters: components["schemas"]["AvailableFiltersView"] | (never | null);
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
        JobPodsView: {
            /** Format: uuid */
            job_id: string;
            job_name: string;
            /** Format: int64 */
            total_count: number;
            pods: components["schemas"]["JobPodView"][];
        };
        JobPodView: {
            /** Format: uuid */
            id: string;
            name: string;
            namespace: string;
            status: string;
            owner_reference: string | null;
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
        RestoreSlurmJobBody: {
            /** @description Checkpoint action to restore from */
            action_id: string;
            /** @description Target cluster; default: the checkpoint's cluster */
            cluster_id?: string | null;
            /** @description Such as nodeTermination, nodeUnschedulable or manual (default) */
            reason?: string;
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
        UpdatePolicyBody: {
            /**
             * Format: int32
             * @description As in the creation; null keeps all. A smaller number also deprecates what is there, within the next minutes
             */
            keep_last?: number | null;
            /** @description true: no beat acts until the policy goes on, and none of those beats is made up for; false: it goes on */
            paused?: boolean;
            /** @description What the caller knows of the policy, all of it or some: if any of that is different by now, nothing is changed (409) */
            expected?: components["schemas"]["ChangeablePolicyMembers"];
        };
        ChangeablePolicyMembers: {
            /**
             * Format: int32
             * @description As in the creation; null keeps all. A smaller number also deprecates what is there, within the next minutes
             */
            keep_last?: number | null;
            /** @description true: no beat acts until the policy goes on, and none of those beats is made up for; false: it goes on */
            paused?: boolean;
        };
        PolicyPageView: {
            /** Format: int64 */
            total_count: number;
            /** @description Newest first; with include_automatic only */
            automatic_policies?: components["schemas"]["AutoRestorePolicyView"][] | null;
            policies: components["schemas"]["PolicyView"][];
        };
        AutoRestorePolicyView: {
            /** @description Derived from the id of the pod or job */
            id: string;
            name: string;
            namespace: string;
            cluster_id: string;
            /** @enum {string} */
            resource_type: "job" | "pod";
            /** @description The value of SVC_CHECKPOINT */
            checkpoint_id: string;
            /**
             * Format: int32
             * @description 1 for a pod; of a job, its pods
             */
            pod_count: number;
            /** @description Phase of the pod, or status of the job, as last reported */
            status: string;
            /**
             * @description active while it runs or waits, completed when it succeeded, disabled when it failed or was removed
             * @enum {string}
             */
            policy_status: "active" | "completed" | "disabled";
            created_at: string | null;
        };
        PolicyView: {
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
            /** @description heartbeat or maintenance */
            policy_type: string;
            /**
             * Format: int64
             * @description Seconds: the interval of a heartbeat, the length of a maintenance window
             */
            input: number;
            /** @enum {string} */
            resource: "namespace" | "pods" | "jobs" | "slurm_jobs";
            /** @description The namespace, the row ids of pods, or the numbers of Slurm jobs in the filter; for jobs, the row ids of the matches */
            resource_list: string[];
            /**
             * Format: int64
             * @description Running pods that it currently acts on
             */
            pod_count: number;
            /**
             * Format: int64
             * @description Jobs that it currently acts on; null if the filter is not for jobs
             */
            job_count: number | null;
            /**
             * Format: date-time
             * @description When it was created
             */
            timestamp: string | null;
            cluster_id: string | null;
            namespace: string | null;
            /**
             * Format: date-time
             * @description Window of a maintenance policy
             */
            start_time: string | null;
            /**
             * Format: date-time
             * @description Window of a maintenance policy
             */
            end_time: string | null;
        };
        PolicyActivityView: {
            policy_id: string;
            /**
             * Format: int64
             * @description Actions that it requested
             */
            total_checkpoints: number;
            /**
             * Format: int64
             * @description Actions that became ready: what max_checkpoints counts
             */
            successful_checkpoints: number;
            /** Format: int64 */
            failed_checkpoints: number;
            /** @description Newest first */
            recent_checkpoints: components["schemas"]["PolicyCheckpointView"][];
            /** @description When it last requested an action */
            last_checkpoint_at: string | null;
        };
        PolicyCheckpointView: {
            /** @description Its first checkpoint */
            checkpoint_id: string;
            action_id: string;
            /** @description For a Slurm job, the name of the job */
            pod_name: string;
            /** @description For a Slurm job, its partition */
            namespace: string;
            /** @description Of the action */
            status: string;
            completed_at: string | null;
            /** Format: int64 */
            duration_ms: number | null;
            /** Format: int64 */
            size_bytes: number | null;
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
        SlurmNodeView: {
            /** Format: uuid */
            id: string;
            name: string | null;
            /** @description Its state and flags in upper case; STALE if the cluster no longer reports it */
            status: string | null;
            /** Format: int32 */
            cpus: number | null;
            /**
             * Format: int64
             * @description In MiB, as Slurm counts it
             */
            memory: number | null;
            /**
             * Format: uuid
             * @description The registered cluster that reported it
             */
            cluster_id: string;
            /** @description Its partitions; null if they were not reported */
            partitions: string[] | null;
            /** @description Why it was taken out of service */
            reason: string | null;
            /**
             * Format: int32
             * @description CPUs that jobs have
             */
            alloc_cpus: number | null;
            /**
             * Format: double
             * @description Load average of its last minute; a sync reports it as `load`, or as Slurm prints it
             */
            load: number | null;
            /**
             * Format: int64
             * @description Memory that jobs have, in MiB
             */
            alloc_memory: number | null;
            /**
             * Format: int64
             * @description Free memory of its operating system, in MiB
             */
            free_memory: number | null;
        };
        SlurmPartitionView: {
            /** Format: uuid */
            id: string;
            /**
             * Format: uuid
             * @description The registered cluster that reported it
             */
            cluster_id: string;
            name: string;
            /** @description STALE if the cluster no longer reports it */
            state: string;
            /** @description In Slurm's notation */
            nodes: string;
            /** Format: int32 */
            total_nodes: number;
            /** Format: int32 */
            total_cpus: number;
            /** Format: int32 */
            priority_tier: number;
            /**
             * Format: int64
             * @description Minutes; -1 for none
             */
            max_time: number;
            /**
             * Format: int64
             * @description Minutes; -1 for none: the largest counts
             */
            default_time: number;
            /** @description false if Slurm does not print it (since 23.02) */
            is_default: boolean;
        };
        WindowView: {
            /** Format: uuid */
            id: string | null;
            /** @description Name of the reservation, for synced ones only */
            name: string | null;
            /**
             * Format: uuid
             * @description Null if it was created by hand
             */
            cluster_id: string | null;
            /** @description For a reservation its comment, else its flags */
            reason: string | null;
            /** @enum {string|null} */
            status: "scheduled" | "active" | "completed" | "cancelled" | "ended" | null;
            /** Format: date-time */
            start_time: string | null;
            /** Format: date-time */
            end_time: string | null;
            /** Format: date-time */
            created_at: string | null;
            nodes: string[] | null;
            partitions: string[] | null;
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
        ActivationView: {
            profile_id: string;
            logical_model: string;
            exact_model: string;
            hosting_mode: string;
            compatibility_key: string;
            profile_revision: string;
            desired_state: string;
            /** @description One of Pending, Scheduling, Pulling, Restoring, Loading, Warming, Ready, Draining, Suspended, Failed, or any other text, which is stored */
            phase: string;
            /** Format: int64 */
            estimated_cold_start_ms: number;
            /** Format: int64 */
            observed_generation: number;
            ready: boolean;
            /** Format: date-time */
            updated_at: string;
            endpoint: string | null;
            /**
             * Format: date-time
             * @description When the worker began to start; null without a worker
             */
            activation_started_at: string | null;
            /**
             * Format: date-time
             * @description When it was first ready
             */
            ready_at: string | null;
            /**
             * Format: uuid
             * @description The cluster that runs its workers; absent if none is reported
             */
            cluster_id?: string;
            /** @description Absent if the controller reports only one endpoint */
            workers?: components["schemas"]["ReportedWorker"][];
            /** @description Absent if there is none */
            message?: string;
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
        SetProfileStateBody: {
            /** @enum {string} */
            desired_state: "Active" | "Suspended";
            /** @description 1 for Active and 0 for Suspended by default. At most the max_replicas of the profile; Suspended accepts only 0 */
            desired_replicas?: number | null;
            /** @description Milliseconds from now until the intent expires */
            deadline_ms?: number | null;
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
        ProfileProgressView: {
            profile_id: string;
            ready: boolean;
            /** @description As last reported, or Scheduling if only an event announced a worker; null without either */
            phase: string | null;
            /**
             * Format: date-time
             * @description When the last start began
             */
            activation_started_at: string | null;
            /**
             * Format: date-time
             * @description When its worker was first ready
             */
            ready_at: string | null;
            /**
             * Format: int64
             * @description Duration of the last start in milliseconds, whatever its kind; null until it ends, or if its beginning was missed
             */
            cold_start_ms: number | null;
            /** @description The checkpoint that its worker was started with */
            restore_checkpoint_path: string | null;
            /** @description restore if its worker named a checkpoint, else cold */
            start_kind: string | null;
            /** @description In order of occurrence */
            steps: components["schemas"]["ProfileProgressStepView"][];
        };
        ProfileProgressStepView: {
            /**
             * Format: int64
             * @description Milliseconds since the start began; null without a start
             */
            elapsed_ms: number | null;
            /** @description Kind of a lifecycle event; `phase.` and a reported phase; `checkpoint_request.` and a state that it entered */
            kind: string;
            /** Format: date-time */
            occurred_at: string;
            payload: unknown;
        };
        ExperimentListItemView: {
            /** Format: uuid */
            id: string;
            name: string;
            scenario: string;
            /** @description One of running, completed, cancelled */
            status: string;
            /** Format: date-time */
            started_at: string;
            parameters: unknown;
            profile_id: string | null;
            /**
             * Format: date-time
             * @description When it was completed or cancelled
             */
            completed_at: string | null;
            /**
             * Format: int64
             * @description Observations that name it
             */
            observations: number;
        };
        InferenceKeyView: {
            key_id: string;
            name: string;
            /** @description Empty: all */
            models: string[];
            /** Format: date-time */
            created_at: string;
            /** Format: double */
            budget_usd: number | null;
            /** Format: int64 */
            rate_limit_rps: number | null;
            /** Format: date-time */
            revoked_at: string | null;
            tenant_id: string | null;
            /**
             * Format: double
             * @description US dollars: everything charged
             */
            spent_usd: number;
            /**
             * Format: double
             * @description US dollars reserved for requests in flight
             */
            reserved_usd: number;
            /**
             * Format: double
             * @description US dollars: the part of spent_usd by which requests exceeded their reservations
             */
            overrun_usd: number;
        };
        UpdateInferenceKeyBody: {
            name?: string;
            /** @description Logical models that it may use; empty: all */
            models?: string[];
            /**
             * Format: double
             * @description Total budget in US dollars; null: unlimited
             */
            budget_usd?: number | null;
            /**
             * Format: int64
             * @description Requests per second, and the size of a burst; null: unlimited
             */
            rate_limit_rps?: number | null;
            /** @description Owner of the requests, for the caller's own use */
            tenant_id?: string | null;
            /** @description What the caller knows of the key, all of it or some: if any of that is different by now, nothing is changed (409) */
            expected?: components["schemas"]["ChangeableKeyMembers"];
        };
        ChangeableKeyMembers: {
            name?: string;
            /** @description Logical models that it may use; empty: all */
            models?: string[];
            /**
             * Format: double
             * @description Total budget in US dollars; null: unlimited
             */
            budget_usd?: number | null;
            /**
             * Format: int64
             * @description Requests per second, and the size of a burst; null: unlimited
             */
            rate_limit_rps?: number | null;
            /** @description Owner of the requests, for the caller's own use */
            tenant_id?: string | null;
        };
        RouteView: {
            logical_model: string;
            /** @description One of priority, classifier; classifier tries the picked tier first */
            mode: string;
            /** Format: int64 */
            queue_timeout_ms: number;
            /**
             * Format: int64
             * @description Increases with every change
             */
            generation: number;
            classifier_profile_id: string | null;
            classifier_prompt: string | null;
            classifier_response_schema: string | null;
            targets: components["schemas"]["RouteTargetView"][];
        };
        RouteTargetView: {
            priority: number;
            profile_id: string;
            tier: string;
            /** @description false if it is disabled; absent otherwise */
            enabled?: boolean;
        };
        RouteStateView: {
            logical_model: string;
            /** @enum {string} */
            mode: "priority" | "classifier";
            /**
             * Format: int64
             * @description Increases with every change of the route
             */
            generation: number;
            /**
             * Format: int64
             * @description How long a request may wait, in milliseconds
             */
            queue_timeout_ms: number;
            classifier_profile_id: string | null;
            /** @description What would happen to a request that arrives now, names no target and may wait as long as the route allows. With mode classifier: one whose tier the classifier did not pick */
            outlook: components["schemas"]["RouteOutlookView"];
            /** @description In the order in which they are tried */
            targets: components["schemas"]["TargetStateView"][];
            /** @description A target has more ready workers than are listed */
            workers_left_out: boolean;
        };
        RouteOutlookView: {
            /** @enum {string} */
            decision: "serve" | "wait" | "refuse";
            /** @description The target that serves it, or for which it waits */
            profile_id: string | null;
            /**
             * @description Why that target serves it
             * @enum {string|null}
             */
            source: "priority" | "classifier" | "preferred" | "fallback" | null;
            /**
             * @description Why it is refused
             * @enum {string|null}
             */
            reason: "queue_full" | "deadline" | "no_target" | "disabled" | "endpoint_not_served" | null;
            /** @description The target that it wakes */
            wakes: string | null;
            /**
             * Format: int64
             * @description Milliseconds until it looks again, or should be repeated
             */
            retry_after_ms: number | null;
        };
        TargetStateView: {
            profile_id: string;
            tier: string;
            priority: number;
            /** @description What it serves: chat, completions, embeddings, responses */
            endpoints: string[];
            /**
             * @description ready: it takes a request now; full: its workers are ready and have no place; starting: it comes up, or is requested; asleep: a request wakes it; leaving: its workers are being released; cooling: its last start failed, it may not be requested, or its workers cannot be reached and its cluster is silent, so it is not requested for a while; disabled: on the target or on the profile
             * @enum {string}
             */
            state: "ready" | "full" | "starting" | "asleep" | "leaving" | "cooling" | "disabled";
            /**
             * Format: int64
             * @description Milliseconds until it is ready, or no longer cooling; null if unknown
             */
            ready_in_ms: number | null;
            /**
             * Format: int64
             * @description Requests in flight, through every replica of the service
             */
            in_flight: number;
            /**
             * Format: int64
             * @description Requests that its ready workers serve at a time
             */
            capacity: number;
            /**
             * Format: int64
             * @description Requests that wait for it, through every replica of the service
             */
            waiting: number;
            /**
             * Format: int64
             * @description How many may wait, in each replica of the service
             */
            max_queue_depth: number;
            /**
             * Format: int64
             * @description Requests that one worker serves at a time
             */
            target_concurrency: number;
            /**
             * Format: int64
             * @description How long a request usually keeps a place, in milliseconds
             */
            service_ms: number;
            /**
             * Format: int64
             * @description Number of ready workers
             */
            ready_workers: number;
            /** @description The ready workers, the fullest first */
            workers: components["schemas"]["WorkerStateView"][];
        };
        WorkerStateView: {
            /** @description As its controller reports it; null if one address stands for all workers */
            workload_uid: string | null;
            endpoint: string;
            /**
             * Format: int64
             * @description Requests in flight, through every replica of the service
             */
            in_flight: number;
            /**
             * Format: int64
             * @description Requests that it should get at a time
             */
            capacity: number;
            /**
             * @description How it started
             * @enum {string|null}
             */
            start_kind: "restore" | "cold" | null;
            /**
             * Format: int64
             * @description Milliseconds for which the answering replica passes it over, because it failed; 0 if it does not
             */
            passed_over_ms: number;
        };
        FleetView: {
            fleet_id: string;
            name: string;
            logical_model: string;
            /** Format: date-time */
            created_at: string;
            profile_ids: string[];
            /** @description Any JSON. `max_node_usd_per_hour`, a number of at least 0, is the budget for its nodes: a capacity request beyond it answers 409. Null without budgets */
            budgets: unknown;
            availability: string | null;
            residency: string | null;
        };
        NodeGpuMetricsView: {
            /** @description Empty if unknown */
            node_name: string;
            /** @description By index */
            gpus: components["schemas"]["GpuMetricView"][];
        };
        GpuMetricView: {
            /**
             * Format: date-time
             * @description Time of the sample
             */
            timestamp: string;
            /**
             * Format: double
             * @description Percent
             */
            gpu_utilization: number | null;
            /**
             * Format: double
             * @description MiB
             */
            memory_free_mib: number | null;
            /**
             * Format: double
             * @description MiB
             */
            memory_used_mib: number | null;
            /**
             * Format: double
             * @description Percent of the time in which memory was read or written
             */
            memory_utilization: number | null;
            /** @description Namespace of the pod that held it */
            namespace: string | null;
            /** @description The pod that held it; of several that share it, the first by name */
            pod_name: string | null;
            /** @description On its node; empty if unknown */
            gpu_index: string;
            gpu_uuid: string;
            /** @description Empty if unknown */
            node_name: string;
            /**
             * Format: double
             * @description Watts
             */
            power_watts: number | null;
            /**
             * Format: double
             * @description Degrees Celsius
             */
            temperature_celsius: number | null;
            model_name: string | null;
        };
        PodMetricView: {
            /** @description Empty if unknown */
            pod_uid: string;
            /** @description Empty if unknown */
            node_name: string;
            /**
             * Format: double
             * @description CPU seconds that it has used since it started; 0 if unknown
             */
            cpu_usage_seconds: number;
            /**
             * Format: double
             * @description Working set in bytes; 0 if unknown
             */
            memory_bytes: number;
            namespace: string | null;
            pod_name: string | null;
            /**
             * Format: date-time
             * @description Time of the sample
             */
            timestamp: string;
            owner_kind: string | null;
            owner_name: string | null;
        };
        PodTopView: {
            /** @description Empty if unknown */
            pod_uid: string;
            /** @description Empty if unknown */
            node_name: string;
            /**
             * Format: double
             * @description CPU seconds that it has used since it started; 0 if unknown
             */
            cpu_usage_seconds: number;
            /**
             * Format: double
             * @description Working set in bytes; 0 if unknown
             */
            memory_bytes: number;
            namespace: string | null;
            pod_name: string | null;
            /**
             * Format: double
             * @description CPU cores that it kept busy in the last minute of its samples; null if that is not known
             */
            cpu_cores: number | null;
        };
        K8MetricView: {
            /** @description Of the node; empty if unknown */
            name: string;
            /** @description By metric; empty for a node that is silent now */
            details: components["schemas"]["K8MetricDetailView"][];
        };
        K8MetricDetailView: {
            collector: string;
            cpu_core: string;
            cpu_mode: string;
            /** @description Device of the value */
            filesystem: string;
            metric_name: string;
            mountpoint: string;
            /** @description Labels that no other member shows */
            resource: string;
            /**
             * Format: date-time
             * @description Time of the sample
             */
            timestamp: string;
            /** @description A number */
            value: string;
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
    list_audit_entries: {
        parameters: {
            query?: {
                /** @description Entries at or after this time */
                since?: string;
                /** @description Id of the caller */
                actor?: string;
                /** @description Kind or id of the changed resource */
                resource?: string;
                /** @description Maximum number of entries, clamped to 1000 */
                limit?: number;
                /** @description Entries to skip */
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
                    "application/json": components["schemas"]["AuditEntryView"][];
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
    list_organisations: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
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
                    "application/json": components["schemas"]["OrganisationView"][];
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
    list_tokens: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                status?: "active" | "expired" | "revoked";
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
                    "application/json": components["schemas"]["ListedTokenView"][];
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
    list_plugins: {
        parameters: {
            query?: {
                /** @description Maximum number of names, clamped to 1000; names without a version that fits count too */
                limit?: number;
                /** @description Names to skip */
                offset?: number;
                /** @description Comma-separated names, each may pin name@version */
                names?: string;
                /** @description Version of the requesting daemon; one without a valid version (dev, main) accepts every version of a plugin */
                compatibility?: string;
                /** @description Architecture, amd64 by default */
                arch?: string;
                /** @description Build type, release by default */
                build?: "alpha" | "release";
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
                    /** @description Names of plugins of the page without a matching version, separated by commas */
                    "X-Plugins-Unavailable"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PluginView"][];
                };
            };
            /** @description Bad query */
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
    list_clusters: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                kind?: "kubernetes" | "slurm";
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
                    "application/json": components["schemas"]["ClusterView"][];
                };
            };
            /** @description Invalid kind filter */
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
    list_instances: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
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
                    "application/json": components["schemas"]["InstanceView"][];
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
    get_instance_status: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance_id: string;
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
                    "application/json": components["schemas"]["InstanceStatusView"];
                };
            };
            /** @description Instance unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Status not obtained */
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
    list_job_pods: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                job_id: string;
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
                    "application/json": components["schemas"]["JobPodsView"];
                };
            };
            /** @description Job unknown */
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
    list_operations: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Only this one */
                operation_id?: string;
                op_type?: "checkpoint" | "restore";
                result?: "running" | "succeeded" | "failed" | "fallback";
                workload_type?: "kubernetes" | "slurm";
                cluster_id?: string;
                /** @description Attempts of one request */
                action_id?: string;
                namespace?: string;
                /** @description Part of the workload's name, case-insensitive */
                name?: string;
                /** @description Attempts that began at or after this time */
                since?: string;
                /** @description Attempts that began before this time */
                until?: string;
                /** @description The `operation_id` after which the page begins */
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
                    "application/json": components["schemas"]["OperationFactView"][];
                };
            };
            /** @description A parameter is invalid, or `after` is no attempt */
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
    get_newest_pod_action: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /** @description Kubernetes uid or row id of the pod */
                id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
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
            /** @description No action for that pod */
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
    restore_slurm_job: {
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
                "application/json": components["schemas"]["RestoreSlurmJobBody"];
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
            /** @description Bad request, or a Kubernetes cluster */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Action or cluster unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Nothing is ready to restore, or the action does not belong to a Slurm job */
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
    update_pipeline_policy: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                policy_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdatePolicyBody"];
            };
        };
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
            /** @description Bad request */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
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
            /** @description Disabled, or not as expected */
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
    list_policies: {
        parameters: {
            query?: {
                limit?: number;
                offset?: number;
                /** @description active, paused or disabled; active ones include those that are paused. Automatic ones also completed */
                status?: string;
                /** @description namespace, pods, jobs or slurm_jobs; automatic ones have pods or jobs */
                resource?: string;
                /** @description A part of the name; case does not matter. It leaves automatic ones alone */
                name?: string;
                /** @description Include the restores that pods and jobs request themselves */
                include_automatic?: boolean;
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
                    "application/json": components["schemas"]["PolicyPageView"];
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
    get_policy_activity: {
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
                    "application/json": components["schemas"]["PolicyActivityView"];
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
    list_slurm_inventory_nodes: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Of this registered cluster */
                cluster_id?: string;
                /** @description A part of the name; case does not matter */
                name?: string;
                /** @description Nodes of this partition */
                partition?: string;
                /** @description In this state, or with this flag, in any case; STALE for those that are no longer reported */
                status?: string;
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
                    "application/json": components["schemas"]["SlurmNodeView"][];
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
    list_slurm_inventory_partitions: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Of this registered cluster */
                cluster_id?: string;
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
                    "application/json": components["schemas"]["SlurmPartitionView"][];
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
    list_maintenance_windows: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Reservations of this cluster; windows created by hand belong to none */
                cluster_id?: string;
                status?: "scheduled" | "active" | "completed" | "cancelled" | "ended";
                /** @description Only windows that end after this time */
                ends_after?: string;
                /** @description Only windows that start before this time */
                starts_before?: string;
                /** @description Earliest start first, the default, or latest */
                sort?: "start_time" | "-start_time";
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
                    "application/json": components["schemas"]["WindowView"][];
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
    list_activations: {
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
                    "application/json": components["schemas"]["ActivationView"][];
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
    set_profile_state: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                profile_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SetProfileStateBody"];
            };
        };
        responses: {
            /** @description Intent accepted */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CapacityIntentView"];
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
            /** @description The request would exceed a budget */
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
    list_artifact_ancestry: {
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
                    "application/json": components["schemas"]["ArtifactView"][];
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
            /** @description Its chain is too large for one answer */
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
    get_profile_progress: {
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
                    "application/json": components["schemas"]["ProfileProgressView"];
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
    list_experiments: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                status?: "running" | "completed" | "cancelled";
                /** @description Only experiments on this profile */
                profile_id?: string;
                /** @description A part of the name or the id; case does not matter */
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
                    "application/json": components["schemas"]["ExperimentListItemView"][];
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
    list_inference_keys: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
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
                    "application/json": components["schemas"]["InferenceKeyView"][];
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
    update_inference_key: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UpdateInferenceKeyBody"];
            };
        };
        responses: {
            /** @description Changed */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InferenceKeyView"];
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
            /** @description Key unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Not as expected */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Key revoked */
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
    list_routes: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description A part of the name of the model; case does not matter */
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
                    "application/json": components["schemas"]["RouteView"][];
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
    delete_route: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                logical_model: string;
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
            /** @description The model has no route */
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
    get_route_state: {
        parameters: {
            query?: {
                /** @description Where the request would arrive */
                endpoint?: "chat" | "completions" | "embeddings" | "responses";
            };
            header?: never;
            path: {
                logical_model: string;
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
                    "application/json": components["schemas"]["RouteStateView"];
                };
            };
            /** @description The model has no route */
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
    list_fleets: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
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
                    "application/json": components["schemas"]["FleetView"][];
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
    list_gpu_metrics: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                node_name?: string;
                /** @description Window length: a GPU without a sample in it is left out */
                hours?: number;
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["NodeGpuMetricsView"][];
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
    list_pod_metrics: {
        parameters: {
            query?: {
                /** @description Kubernetes uid */
                pod_uid?: string;
                node_name?: string;
                /** @description Maximal samples */
                limit?: number;
                /** @description Window length */
                hours?: number;
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PodMetricView"][];
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
    list_top_memory_pods: {
        parameters: {
            query?: {
                limit?: number;
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PodTopView"][];
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
    list_k8_metrics: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Only this node */
                name?: string;
                /** @description Only this collector, as the exporter names it */
                collector_type?: string;
                /** @description A part of the name of the node; case does not matter */
                name_part?: string;
                /** @description Only these metrics, at most 50, separated by commas */
                metric_names?: string;
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["K8MetricView"][];
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
