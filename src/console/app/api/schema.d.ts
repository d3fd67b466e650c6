// Written by `npm run openapi`.

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
        /**
         * Create an organisation
         * @description Needs platform scope.
         */
        post: operations["create_organisation"];
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
        /**
         * Issue an access token
         * @description Only this answer contains the token. Only admins of platform scope may issue tokens for another organisation, or tokens of platform scope.
         */
        post: operations["create_token"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/tokens/{token_id}": {
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
         * Revoke an access token, at once on every replica
         * @description The token is refused from then on, on every replica. It stays in the list with the time of its revocation.
         */
        delete: operations["revoke_token"];
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
    "/v1/user/sign-in": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get how people sign in
         * @description The identity provider that accepts them, by the authorization code flow with PKCE. The access token that it gives is a bearer here.
         */
        get: operations["get_sign_in"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/download": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Redirect to the main binary
         * @description Redirects to a signed address of the newest or the named version for the architecture.
         */
        get: operations["download_main_binary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/install": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Redirect to the install script
         * @description Redirects to a signed address of the newest or the named version of the script.
         */
        get: operations["download_install_script"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/install/slurm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Redirect to the Slurm install script
         * @description Redirects to a signed address of the newest or the named version of the script.
         */
        get: operations["download_slurm_install_script"];
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
    "/v1/plugins/download/{binary_name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Redirect to a plugin binary
         * @description By the name of its upload; a `/` in it is written `%2F`.
         */
        get: operations["download_plugin_binary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/plugins/upload/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get upload addresses for a plugin build
         * @description PUT the bytes to both. The build is served once its bytes have arrived and match the checksum; until then the latest stays the previous one.
         */
        post: operations["upload_plugin"];
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
    "/v1/cluster/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count clusters
         * @description The number of clusters, of all or of one status.
         */
        get: operations["count_clusters"];
        put?: never;
        post?: never;
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
        /**
         * Queue a Kubernetes workload on a cluster
         * @description Exactly one of deployment, job, pod. The controller of the cluster gets an event with the id, reads the manifest and reports the outcome.
         */
        post: operations["create_cluster_workload"];
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
    "/v1/cluster/{id}": {
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
         * Delete a cluster with its dependents in one transaction
         * @description Deletes its inventory, actions, checkpoints, restores, policies, windows and workloads, and ends its workers. Agents remove the bytes of its checkpoints seven days later, unless they are set otherwise. Facts, totals and usage stay.
         */
        delete: operations["delete_cluster"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hosts": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List hosts, by id
         * @description The stored hosts as their node daemons sent them, all or those with the given ids.
         */
        get: operations["list_hosts"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/hosts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Store a host
         * @description Missing members are zero; unknown members are stored at every level. The id is that of the path.
         */
        put: operations["put_host"];
        post?: never;
        /**
         * Delete a host
         * @description Succeeds even if the id is unknown.
         */
        delete: operations["delete_host"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/svc/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List legacy jobs, by id
         * @description The stored jobs as node daemons sent them, all or those with the given ids or on the given hosts.
         */
        get: operations["list_legacy_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/svc/jobs/{jid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Store a legacy job
         * @description Missing members are zero; unknown members are stored at every level. The id is that of the path.
         */
        put: operations["put_legacy_job"];
        post?: never;
        /**
         * Delete a legacy job
         * @description Succeeds even if the id is unknown. Its checkpoints stay.
         */
        delete: operations["delete_legacy_job"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/svc/job/checkpoints": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List legacy job checkpoints, newest first
         * @description The stored checkpoints as node daemons sent them, all or those with the given ids or of the given jobs.
         */
        get: operations["list_legacy_job_checkpoints"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/svc/job/checkpoints/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Store a legacy job checkpoint
         * @description Answers the id of the checkpoint: that of the path if it is a UUID, else the ID of the body if that is one, else a new one. Missing members are zero; unknown members are stored.
         */
        put: operations["put_legacy_job_checkpoint"];
        post?: never;
        /**
         * Delete a legacy job checkpoint
         * @description Succeeds even if the id is unknown.
         */
        delete: operations["delete_legacy_job_checkpoint"];
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
    "/v1/nodes/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count nodes of active clusters by cluster and status
         * @description Of the nodes that are listed: how many each cluster has of each status, or of each value of another member. A cluster without nodes is left out.
         */
        get: operations["get_nodes_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/nodes/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count nodes
         * @description The number of nodes, of all or of one status.
         */
        get: operations["count_nodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pricing/instance-types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List prices
         * @description Hourly prices of instance types, on demand and spot.
         */
        get: operations["list_instance_type_prices"];
        /**
         * Save prices of an instance type
         * @description One row per instance type and capacity type. Prices that are left out stay; null removes one.
         */
        put: operations["save_instance_type_price"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pricing/instance-types/available": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List instance types seen on nodes
         * @description Of every node that was ever synced, including deleted ones: savings on them have a price too.
         */
        get: operations["list_seen_instance_types"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pricing/instance-types/{instance_type}": {
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
         * Delete prices of an instance type
         * @description For every capacity type.
         */
        delete: operations["delete_instance_type_price"];
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
        /**
         * Request an instance
         * @description The marketplace is called once. `pending` means that the result is not known yet: do not request the instance again, its status will change.
         */
        post: operations["create_instance"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/bursting-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get whether instances can be requested
         * @description If the marketplace does not answer, its last state counts, and the message states since when.
         */
        get: operations["get_bursting_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/types": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List types of instances and their prices
         * @description At most a minute old; at most an hour if the marketplace does not answer.
         */
        get: operations["list_instance_types"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/instances/{instance_id}": {
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
         * Delete an instance
         * @description The service repeats it until the marketplace has no such machine. May be called again, and with the marketplace’s id of an orphaned one. An admin may `forget` a machine of an account that is no longer used.
         */
        delete: operations["delete_instance"];
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
    "/v1/pods/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count pods
         * @description The number of pods that the list of pods shows, of all or of one status.
         */
        get: operations["count_pods"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pods/namespaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List namespaces of pods
         * @description The namespaces that have pods, for filters.
         */
        get: operations["list_pod_namespaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/pods/statuses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List statuses of pods
         * @description The statuses that pods have, for filters.
         */
        get: operations["list_pod_statuses"];
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
    "/v1/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs of active clusters
         * @description Jobs of clusters that reported in the last 5 minutes, with their pods and the policies that act on them. A deleted job is not listed.
         */
        get: operations["list_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/count": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Count jobs
         * @description The number of jobs that the list of jobs shows, of all or of one status.
         */
        get: operations["count_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/namespaces": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List namespaces of jobs
         * @description The namespaces that have jobs, for filters.
         */
        get: operations["list_job_namespaces"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/statuses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List statuses of jobs
         * @description The statuses that jobs have, for filters.
         */
        get: operations["list_job_statuses"];
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
    "/v1/jobs/priorities": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List priorities of jobs
         * @description The priorities that jobs have, for filters.
         */
        get: operations["list_job_priorities"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/by-priority/{priority}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs of a priority
         * @description The first 1,000 jobs with the priority in the path. A job has the priority of its template, else the highest of its pods.
         */
        get: operations["list_jobs_by_priority"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/jobs/filter": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs by priority, namespace and status
         * @description Jobs that match every given filter; a filter that is left out matches all.
         */
        get: operations["filter_jobs"];
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
    "/v1/restores/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a restore by its row id
         * @description One restore with its status and the events that the node reported.
         */
        get: operations["get_restore"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/restores/{restore_uuid}/profile": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Store the profile of a restore
         * @description Any JSON; a profiling tree or CRIU's statistics anywhere in it become the stages of the fact, unless the events contain stages.
         */
        put: operations["put_restore_profile"];
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
    "/v1/slurm/checkpoint/path": {
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
        get: operations["get_slurm_checkpoint_path"];
        put?: never;
        post?: never;
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
    "/v1/policy/schedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get when policies fired, how that went, and when they will fire
         * @description The beats of each policy in a span of time, counted by the hour (by six hours if the span is longer than 8 days), and the next ten firings. Policies of silent clusters wait, and are listed apart. Beats to come follow from `next_at` and the interval: a policy that reaches `max_checkpoints` has fewer. Beats of the past follow from the grid and from the actions that the policy requested. A beat was `missed` if a later one replaced it, as after an outage: it is overdue and older than the newest one that is due, or a workload was requested both before and after it and had no open checkpoint then; of a maintenance window, if the service never looked for workloads in it. All other beats without a request are `empty`: nothing matched, every match had an open checkpoint, or the beat was missed and no workload shows it. The service keeps no record of which. Beats of a policy between its deactivation and now do not exist. Deleted policies are not listed; their actions are.
         */
        get: operations["get_policy_schedule"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy/pipeline/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Get what a policy would do, without creating it
         * @description The running pods and the jobs that the filter matches now, when the policy would fire, and why it might do less than expected. The body is that of the creation, and is refused for the same reasons. With the id of a policy, it also says how many checkpoints that policy would give up, also when its pods are gone or its window is over.
         */
        post: operations["preview_pipeline_policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy/pipeline/create": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a policy
         * @description A heartbeat requests a checkpoint of every matching running workload at each interval; a maintenance policy requests one of each that runs within its window, to empty nodes: agents of Kubernetes and Slurm let no new workload onto its node until the window ends, stop it with the checkpoint, and let it go on elsewhere.
         */
        post: operations["create_pipeline_policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy/pipeline/list": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List policies with their pipelines, newest first
         * @description Each policy with its filter, its trigger and its action, with the total number of policies.
         */
        get: operations["list_pipeline_policies"];
        put?: never;
        post?: never;
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
    "/v1/policy/delete": {
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
         * Delete a policy: it requests nothing more, and what it requested stays
         * @description The policy requests no more checkpoints. Actions that it requested before go on, and their results stay.
         */
        delete: operations["delete_policy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy/sync-jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Match policies and jobs again
         * @description Policies are matched whenever they are due or read. This operation records the time for every active policy, and returns the number of matches.
         */
        post: operations["sync_job_policies"];
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
    "/v1/policy/{policy_id}/job-status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get jobs and pods a policy follows
         * @description Ids of the jobs and running pods that the policy follows, with the statuses of the jobs.
         */
        get: operations["get_policy_job_status"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy/{policy_id}/jobs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List jobs that a policy of jobs acts on
         * @description The jobs that match the filter of a policy for jobs.
         */
        get: operations["list_policy_jobs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/policy/{policy_id}/pods": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List running pods that a policy acts on
         * @description The running pods that match the filter of the policy.
         */
        get: operations["list_policy_pods"];
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
    "/v1/slurm/jobs_paginated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Slurm jobs page by page
         * @description Newest first, in the order of their first reports.
         */
        get: operations["list_slurm_jobs_paginated"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List terminal Slurm jobs
         * @description Newest first. A requeued job is another event when it ends again.
         */
        get: operations["list_slurm_events"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/clusters": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Slurm clusters
         * @description Clusters as they were last synchronised. Those that the last synchronisation lacked are STALE.
         */
        get: operations["list_slurm_inventory_clusters"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/slurm/clusters_paginated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Slurm clusters page by page
         * @description The same records as the plain list, with smaller pages by default.
         */
        get: operations["list_slurm_inventory_clusters_paginated"];
        put?: never;
        post?: never;
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
    "/v1/slurm/nodes_paginated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Slurm nodes page by page
         * @description The same records as the plain list, with smaller pages by default.
         */
        get: operations["list_slurm_inventory_nodes_paginated"];
        put?: never;
        post?: never;
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
    "/v1/slurm/partitions_paginated": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Slurm partitions page by page
         * @description The same records as the plain list, with smaller pages by default.
         */
        get: operations["list_slurm_inventory_partitions_paginated"];
        put?: never;
        post?: never;
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
        /**
         * Create a maintenance window
         * @description A window created by hand, beside those that come from reservations of Slurm.
         */
        post: operations["create_maintenance_window"];
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
    "/v1/slurm/maintenance_window/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a maintenance window
         * @description One window, created by hand or taken from a reservation.
         */
        get: operations["get_maintenance_window"];
        /**
         * Change a maintenance window
         * @description A member that is missing or null stays unchanged; an empty list clears one. The next sync restores a synced window to what Slurm reports, but it stays cancelled while the same window is reported.
         */
        put: operations["update_maintenance_window"];
        post?: never;
        /**
         * Delete a maintenance window
         * @description A synced window comes back if its cluster still reports it.
         */
        delete: operations["delete_maintenance_window"];
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
        /**
         * Create a profile
         * @description A profile is immutable: an equal body finds it, another body under its id is refused.
         */
        post: operations["create_profile"];
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
    "/v1/inference/profiles/{profile_id}/worker-endpoint": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        /**
         * Record where the worker of a profile publishes its metrics
         * @description The controller reports the address at which the worker publishes its metrics.
         */
        put: operations["put_worker_endpoint"];
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
        /**
         * Mark an artifact as deleted
         * @description The controller that holds its bytes is informed. A golden artifact, and a parent of others, need force. A deleted artifact stays deleted: a repetition answers 200.
         */
        delete: operations["delete_artifact"];
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
    "/v1/inference/artifacts/{artifact_id}/promote": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Request an artifact on a hotter tier
         * @description `storage_tier` changes at once. Until a controller confirms that the bytes are there, `metadata.promotion` shows that they are on their way, and everything is decided by the earlier tier.
         */
        post: operations["promote_artifact"];
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
    "/v1/inference/profiles/{profile_id}/restart": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Replace the worker of a profile by one that is restored from its last checkpoint
         * @description While a request is open, it is returned instead of a second one, whatever its kind.
         */
        post: operations["restart_profile"];
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
        /**
         * Get the last request of a checkpoint or restart
         * @description The open request for a checkpoint or a restart; if none is open, the newest one.
         */
        get: operations["get_profile_checkpoint"];
        put?: never;
        /**
         * Request a checkpoint of a profile's worker
         * @description While a request is open, it is returned instead of a second one, whatever its kind.
         */
        post: operations["request_profile_checkpoint"];
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
        /**
         * List lifecycle events in the order in which they occurred
         * @description Events of workers, models, routes and nodes, as controllers reported them.
         */
        get: operations["list_lifecycle_events"];
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
    "/v1/inference/observations": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List measurements, newest first
         * @description Measurements, filtered by profile, experiment and kind of event.
         */
        get: operations["list_observations"];
        put?: never;
        /**
         * Record a measurement
         * @description The first measurement under a key stands, and is returned for every repetition of the key.
         */
        post: operations["record_observation"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/retention-policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List retention policies, the oldest first
         * @description The rules by which artifacts expire, of all profiles or of one.
         */
        get: operations["list_retention_policies"];
        put?: never;
        /**
         * Create a retention policy, or replace the one with its id
         * @description Once a minute artifacts expire that are too old or beyond the count. Never expired are golden ones, those that a worker runs from, the newest one of a profile that can be restored from, the newest that may be again (its node is silent or not ready, or its last restore failed), and ancestors of kept ones.
         */
        post: operations["save_retention_policy"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/retention-policies/preview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Show what retention would do with each artifact now, and why
         * @description Uses the policy in the body, or without a body the stored ones. Changes nothing. `profile_id` as a parameter selects the decisions on artifacts of one profile; it does not change them.
         */
        post: operations["preview_retention"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/retention-policies/{policy_id}": {
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
         * Delete a retention policy
         * @description Artifacts that the policy expired before stay expired.
         */
        delete: operations["delete_retention_policy"];
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
    "/v1/inference/costs/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List unit prices by profile
         * @description Prices of a replica hour, of storage and of transfer, by which cost reports are computed.
         */
        get: operations["list_cost_rates"];
        put?: never;
        /**
         * Save unit prices of a profile
         * @description Prices that are left out stay. Cost reports apply the present prices to all of the time that they cover, the past too.
         */
        post: operations["upsert_cost_rate"];
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
        /**
         * Start an experiment
         * @description Until it is completed or cancelled, requests that its profile serves belong to it, from a moment later on; of several experiments, to the latest. The header X-Experiment-Id of a chat names another one.
         */
        post: operations["create_experiment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/experiments/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the wanted lifecycle state of an experiment
         * @description One experiment with its scenario, parameters and status.
         */
        get: operations["get_experiment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/experiments/{id}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete or cancel an experiment
         * @description Ends a running experiment as completed or cancelled.
         */
        post: operations["complete_experiment"];
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
        /**
         * Issue an inference key
         * @description The key is shown once; only its digest is stored. Budget and rate hold exactly, over all replicas.
         */
        post: operations["create_inference_key"];
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
        /**
         * Revoke an inference key
         * @description Takes effect at once on every replica; may be repeated.
         */
        delete: operations["revoke_inference_key"];
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
        /**
         * Save the route of a logical model
         * @description Members that are left out stay. The generation increases if anything changes.
         */
        post: operations["save_route"];
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
    "/v1/inference/routes/status": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What serves each logical model now
         * @description For each logical model: its primary and its fallback profile, whether they are ready, and the endpoint that serves.
         */
        get: operations["list_route_statuses"];
        put?: never;
        post?: never;
        delete?: never;
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
    "/v1/inference/router/authorize": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Admit a request of a key
         * @description Checks rate and budget, and reserves the maximal cost of the request until telemetry settles it or it expires. The same request_id finds the same authorization again. The bearer is the inference key.
         */
        post: operations["authorize_request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/router/resolve": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Resolve an authorization to a target
         * @description Chooses as chat does. A reply of 200 uses the authorization up. Wakes a sleeping target.
         */
        post: operations["resolve_request"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/router/config": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the routes with their present state
         * @description The ETag is the sum of the routes' generations, also of deleted ones: it changes with a route, not with its state.
         */
        get: operations["get_router_config"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/router/telemetry": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report the result of a request
         * @description Settles its authorization; a request that was reported before stays unchanged.
         */
        post: operations["record_router_telemetry"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/router/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Report values that a router measured
         * @description A repeated sample changes nothing.
         */
        post: operations["record_router_metrics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/chat/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a chat
         * @description Streamed (server-sent events) or not. As in OpenAI's API; the bearer is an inference key or an access token. Wakes a cold model and waits for it. Headers of the reply describe the decision: X-Route-Target, X-Route-Reason, X-Queue-Ms, X-Start-Kind (warm, restored, cold), X-Start-Ms (how long that start took), X-Attempts.
         */
        post: operations["create_chat_completion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/completions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Complete a text
         * @description Streamed (server-sent events) or not. As in OpenAI's API; the bearer is an inference key or an access token. Wakes a cold model and waits for it. Headers of the reply describe the decision: X-Route-Target, X-Route-Reason, X-Queue-Ms, X-Start-Kind (warm, restored, cold), X-Start-Ms (how long that start took), X-Attempts.
         */
        post: operations["create_completion"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/embeddings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Embed texts
         * @description Only profiles whose `spec.endpoints` has `embeddings` serve it. As in OpenAI's API; the bearer is an inference key or an access token. Wakes a cold model and waits for it. Headers of the reply describe the decision: X-Route-Target, X-Route-Reason, X-Queue-Ms, X-Start-Kind (warm, restored, cold), X-Start-Ms (how long that start took), X-Attempts.
         */
        post: operations["create_embedding"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/responses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a response
         * @description Streamed (server-sent events) or not, never in the background. Only profiles whose `spec.endpoints` has `responses` serve it. As in OpenAI's API; the bearer is an inference key or an access token. Wakes a cold model and waits for it. Headers of the reply describe the decision: X-Route-Target, X-Route-Reason, X-Queue-Ms, X-Start-Kind (warm, restored, cold), X-Start-Ms (how long that start took), X-Attempts.
         */
        post: operations["create_response"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/models": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List the available logical models
         * @description As in OpenAI's API. An inference key sees the models that it may use.
         */
        get: operations["list_models"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/models/{model}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a logical model
         * @description As in OpenAI's API. The name may have slashes, encoded or not.
         */
        get: operations["get_model"];
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
        /**
         * Create a fleet, or change the one with its id
         * @description Budgets, availability and residency stay if they are left out. Running workers are not stopped: a budget applies to later requests.
         */
        post: operations["save_fleet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/fleets/{fleet_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get a fleet
         * @description One fleet with its profiles and budgets.
         */
        get: operations["get_fleet"];
        put?: never;
        post?: never;
        /**
         * Delete a fleet
         * @description Its profiles and their workers stay.
         */
        delete: operations["delete_fleet"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/analytics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get serving, start and storage figures
         * @description Covers the hours up to now. Medians use the nearest rank.
         */
        get: operations["get_analytics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/usage/series": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List usage buckets, oldest first
         * @description Including empty buckets. Together they cover the window, to the millisecond.
         */
        get: operations["list_usage_series"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/startup-comparison": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare cold and restored starts of each profile
         * @description Measured on real workers, from their scheduling until they were ready.
         */
        get: operations["list_startup_comparisons"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/storage/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get artifact storage by tier
         * @description During a pending promotion, the bytes count on the old tier.
         */
        get: operations["get_storage_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/correlation": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get everything linked to an experiment
         * @description Usage, intents, phases, observations and routing decisions that belong to the experiment or to its profile in its time.
         */
        get: operations["get_correlation"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/costs/breakdown": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Break costs down by profile
         * @description Covers the hours up to now. Every profile has a row.
         */
        get: operations["list_cost_breakdown"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/costs/daily": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get costs by day
         * @description The costs of all profiles, or of one, for each day up to now. Days are those of UTC. Node time, tokens, compute, storage and transfer add up to the breakdown of the same time. The idle parts may be more: they are limited day by day to the held time without a request.
         */
        get: operations["get_daily_costs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/costs/report": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Compare baseline and treatment costs
         * @description What ran in the hours up to now, compared with the dearest target of every route, always active on one replica. For one profile: compared with the routes that target it.
         */
        get: operations["get_cost_report"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/inference/routes/simulate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Project latency and misses of a load
         * @description Each request waits as long as the median start of its kind. A profile without measurements uses its estimate. Changes nothing.
         */
        post: operations["simulate_route"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/write": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write samples by Prometheus remote-write 1.0 or 2.0
         * @description Protobuf, compressed with snappy. A repeated sample changes nothing, and samples may come in any order. Unknown metrics are dropped and counted; native histograms, exemplars and metadata are accepted and not stored.
         */
        post: operations["write_metrics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Write metrics by OTLP over HTTP
         * @description Protobuf or JSON, plain or gzip. Data points of gauges and cumulative sums, with the attributes of their resource and scope as labels. Failures are reported as a Status in the format of the request.
         */
        post: operations["export_otlp_metrics"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/checkpoint-savings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List savings by pod
         * @description Those with the newest checkpoints first. Includes pods and Slurm jobs that are gone. At most 5 minutes old.
         */
        get: operations["list_checkpoint_savings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/checkpoint-savings/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get savings of the organisation
         * @description Counts of protected pods and of checkpoints, and the savings, over all pods. The figures are refreshed at intervals; `refreshed_at` says when.
         */
        get: operations["get_checkpoint_savings_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/checkpoint-savings/estimate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Estimate savings at an hourly rate
         * @description For all protected pods, with the same hourly rate for each.
         */
        get: operations["estimate_checkpoint_savings"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/operations/summary": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get windowed operation aggregates
         * @description Over the facts of attempts that started in the window. Percentiles use the nearest rank; over more than 50,000 attempts and stages they are within 0.79 % of it. Times, sizes and stages are those of successful attempts. Facts and bucket bounds equal those of the text export.
         */
        get: operations["get_operations_summary"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Export checkpoint, restore and cost metrics as text
         * @description Counters and durations of checkpoints and restores of the organisation, what its model traffic cost, and when its clusters, consumers of events and policies last did their work, for a Prometheus that scrapes with a bearer.
         */
        get: operations["export_metrics"];
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
    "/v1/metrics/gpu/timeseries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the history of one GPU
         * @description Every sample of the window, up to 10000 spread over it. An unknown GPU has none.
         */
        get: operations["get_gpu_timeseries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/gpu/heatmap": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the use of GPUs over time, by node or by GPU
         * @description A row for each node, or for each GPU of one node, and equal bins of time. Rows without a sample in the window are left out. Of a window of more than 2 hours, or 6 of one node, at most 192 samples of each metric of a GPU are read, spread over it: a peak between them is missed.
         */
        get: operations["get_gpu_heatmap"];
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
    "/v1/metrics/pods/top/cpu": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pods by CPU use
         * @description The newest sample of each pod that was reported in the last 5 minutes; largest first.
         */
        get: operations["list_top_cpu_pods"];
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
    "/v1/metrics/checkpoint-cpu": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List CPU work kept by checkpoints
         * @description The last checkpoint of each pod in the window, with the last samples within the hour before it. Newest first.
         */
        get: operations["list_checkpoint_cpu"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/slurm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List Slurm samples
         * @description The newest sample of each series of the last 24 hours as reported, by name.
         */
        get: operations["list_slurm_metrics"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/slurm/overview": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get cluster load
         * @description From the newest samples of the last 24 hours, over all Slurm clusters.
         */
        get: operations["get_slurm_overview"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/slurm/overview/state": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get CPUs and nodes by state
         * @description From the newest samples of the last 24 hours, over all Slurm clusters. States with a count of 0 are left out.
         */
        get: operations["get_slurm_overview_state"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/slurm/partitions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List partitions
         * @description From the newest samples of the last 24 hours, over all Slurm clusters. By name.
         */
        get: operations["list_slurm_partitions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/slurm/partitions/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List node counts by partition and state
         * @description From the newest samples of the last 24 hours, over all Slurm clusters. States without nodes are left out.
         */
        get: operations["list_slurm_partition_nodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/slurm/partitions/{name}/timeseries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get the history of a partition
         * @description The last 24 hours, oldest first: at most one point every 45 s, and at most 2000. An unknown partition has none.
         */
        get: operations["get_slurm_partition_timeseries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/slurm/timeseries/cpu-load": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get CPU load over time
         * @description The last 24 hours, oldest first: at most one point every 45 s, and at most 2000.
         */
        get: operations["list_slurm_cpu_load"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/v1/metrics/slurm/timeseries/memory": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get memory over time
         * @description The last 24 hours, oldest first: at most one point every 45 s, and at most 2000.
         */
        get: operations["get_slurm_memory_timeseries"];
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
        OrganisationView: {
            /** Format: uuid */
            id: string;
            name: string;
            /** Format: date-time */
            created_at: string;
        };
        CreateOrganisationBody: {
            name: string;
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
        CreateTokenBody: {
            name: string;
            /** @enum {string} */
            role: "admin" | "operator" | "viewer" | "controller";
            /**
             * @description Scope of an admin token: its organisation, or every organisation. Only platform admins may grant `platform`.
             * @default organisation
             * @enum {string}
             */
            scope?: "organisation" | "platform";
            /** @description Organisation of the token; default: the caller's */
            organisation_id?: string | null;
            /**
             * Format: date-time
             * @description Never when absent
             */
            expires_at?: string | null;
        };
        CreatedTokenView: {
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
            /** @description The token itself. Shown only now, stored nowhere. */
            raw_token: string;
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
        IdentityProviderView: {
            issuer: string;
            /** @description Of a public client: it has no secret */
            client_id: string;
            /** @description Where people sign in */
            authorization_url: string;
            /** @description Where a code is exchanged for a token */
            token_url: string;
            /** @description What to ask for, separated by spaces */
            scope: string;
        };
        SignInView: {
            /** @description null: people use access tokens of this service */
            identity_provider: components["schemas"]["IdentityProviderView"] | (never | null);
        };
        PluginFileView: {
            /** @description Name for the download */
            name: string;
            /** @description Target folder */
            install_dir: string;
            /** @description MD5 or SHA-256, hexadecimal, as its publisher stated it */
            checksum: string | null;
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
        UploadPluginBody: {
            /** @description Name of the publishing repository; may be absent */
            repository: string;
            /** @description Architecture, amd64 by default */
            arch?: string | null;
            /** @description alpha or release; release by default */
            build?: string | null;
            /** @description MD5 or SHA-256, hexadecimal; the upload is checked against it */
            checksum?: string | null;
            /** @description By default a version older than all releases, generated from the time */
            version?: string | null;
            /** @description Versions of the daemons that it fits, a range of semver; all daemons by default */
            daemon_versions?: string | null;
            /** @description The plugin it is a file of; by default one of its own name */
            plugin?: string | null;
            /**
             * @description By its name by default
             * @enum {string|null}
             */
            kind?: "binary" | "library" | null;
            /** @description Target folder; /usr/local/bin or /usr/local/lib by default */
            install_dir?: string | null;
        };
        UploadUrlsView: {
            /** @description PUT the bytes here to make them the latest */
            latest_upload_url: string;
            /** @description PUT the bytes here for the version */
            version_upload_url: string;
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
        SaveClusterBody: {
            cluster_name: string;
            /**
             * @default kubernetes
             * @enum {string|null}
             */
            kind?: "kubernetes" | "slurm" | null;
        };
        TotalCountView: {
            /** Format: int64 */
            total_count: number;
        };
        QueueWorkloadBody: {
            /** @description Cluster whose controller shall create it */
            cluster_id?: string | null;
            /** @description A Deployment */
            deployment?: unknown;
            /** @description A Job */
            job?: unknown;
            /** @description A Pod */
            pod?: unknown;
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
        HostCpuObject: {
            /** Format: int64 */
            Count?: number;
            Family?: string;
            PhysicalID?: string;
            VendorID?: string;
        } & {
            [key: string]: unknown;
        };
        HostMemoryObject: {
            /** Format: int64 */
            Total?: number;
        } & {
            [key: string]: unknown;
        };
        HostObject: {
            ID?: string;
            Hostname?: string;
            KernelArch?: string;
            KernelVersion?: string;
            MAC?: string;
            OS?: string;
            Platform?: string;
            CPU?: components["schemas"]["HostCpuObject"];
            Memory?: components["schemas"]["HostMemoryObject"];
        } & {
            [key: string]: unknown;
        };
        LegacyJobStateObject: {
            Cmdline?: string;
            GIDs?: number[];
            GPUEnabled?: boolean;
            Groups?: number[];
            /** @description Jobs are listed by its ID */
            Host?: components["schemas"]["HostObject"];
            IsRunning?: boolean;
            /** Format: int64 */
            PID?: number;
            /** Format: int64 */
            StartTime?: number;
            Status?: string;
            UIDs?: number[];
            WorkingDir?: string;
        } & {
            [key: string]: unknown;
        };
        LegacyJobObject: {
            Type: string;
            JID?: string;
            Log?: string;
            Details?: unknown;
            State?: components["schemas"]["LegacyJobStateObject"];
        } & {
            [key: string]: unknown;
        };
        LegacyJobCheckpointObject: {
            /** @description The checkpointed job */
            JID: string;
            Path: string;
            /** Format: int64 */
            Time: number;
            /** Format: int64 */
            Size: number;
            ID?: string;
        } & {
            [key: string]: unknown;
        };
        LegacyJobCheckpointBody: {
            /** @description The checkpointed job */
            JID: string;
            Path: string;
            /** Format: int64 */
            Time?: number;
            /** Format: int64 */
            Size?: number;
            ID?: string;
        } & {
            [key: string]: unknown;
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
        NodesSummaryView: {
            /** Format: uuid */
            cluster_id: string;
            /** @description Of the member that nodes are counted by; empty if they do not report it */
            value: string;
            /** Format: int64 */
            count: number;
        };
        InstanceTypePriceView: {
            /** Format: uuid */
            id: string;
            instance_type: string;
            /**
             * @description How the instance is bought
             * @enum {string}
             */
            capacity_type: "spot" | "on-demand";
            /**
             * Format: double
             * @description US dollars per hour of an instance that is not reclaimed
             */
            ondemand_price_per_hour: number | null;
            /**
             * Format: double
             * @description US dollars per hour of an instance that may be reclaimed
             */
            spot_price_per_hour: number | null;
            /** Format: date-time */
            created_at: string;
            /** Format: date-time */
            updated_at: string;
        };
        SaveInstanceTypePriceBody: {
            /** @description As the label of its nodes: `p4d.24xlarge`, `Standard_NC6s_v3` */
            instance_type: string;
            /**
             * @description How the instance is bought
             * @enum {string}
             */
            capacity_type: "spot" | "on-demand";
            /**
             * Format: double
             * @description US dollars per hour of an instance that is not reclaimed. If left out, it stays; null: unknown
             */
            ondemand_price_per_hour?: number | null;
            /**
             * Format: double
             * @description US dollars per hour of an instance that may be reclaimed. If left out, it stays; null: unknown
             */
            spot_price_per_hour?: number | null;
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
        InstanceEnv: {
            name?: string;
            /** @description Passed on, and not stored */
            value?: string;
        };
        InstanceThreshold: {
            date_threshold?: string | null;
            spend_threshold?: string | null;
        };
        InstancePortMapping: {
            /** Format: int32 */
            host_port: number;
            /** Format: int32 */
            container_port: number;
        };
        InstanceHostMount: {
            host_path: string;
            container_path: string;
        };
        InstanceRegistryCredentials: {
            /** @description Passed on, and not stored */
            username: string;
            /** @description Passed on, and not stored */
            password: string;
        };
        InstanceDockerConfiguration: {
            image: string;
            /** @description Passed on, and not stored */
            args?: string | null;
            /** Format: int32 */
            shared_memory_in_gb?: number | null;
            envs?: components["schemas"]["InstanceEnv"][] | null;
            port_mappings?: components["schemas"]["InstancePortMapping"][] | null;
            volume_mounts?: components["schemas"]["InstanceHostMount"][] | null;
            registry_credentials?: components["schemas"]["InstanceRegistryCredentials"] | (never | null);
        };
        InstanceScriptConfiguration: {
            /** @description Passed on, and not stored */
            base64_script: string;
        };
        InstanceLaunchConfiguration: {
            /** @enum {string} */
            type: "docker" | "script";
            docker_configuration?: components["schemas"]["InstanceDockerConfiguration"] | (never | null);
            script_configuration?: components["schemas"]["InstanceScriptConfiguration"] | (never | null);
        };
        InstanceVolumeMount: {
            auto?: boolean | null;
        };
        CreateInstanceBody: {
            cloud: string;
            name: string;
            region: string;
            marketplace_cloud: boolean;
            marketplace_instance_type: string;
            os?: string | null;
            ssh_key_id?: string | null;
            /** @description None may begin with `ccp-`, the prefix of the service's own tags */
            tags?: string[] | null;
            template_id?: string | null;
            volume_ids?: string[] | null;
            envs?: components["schemas"]["InstanceEnv"][] | null;
            alert?: components["schemas"]["InstanceThreshold"] | (never | null);
            auto_delete?: components["schemas"]["InstanceThreshold"] | (never | null);
            launch_configuration?: components["schemas"]["InstanceLaunchConfiguration"] | (never | null);
            volume_mount?: components["schemas"]["InstanceVolumeMount"] | (never | null);
        };
        CreatedInstanceView: {
            instance_id: string;
            cloud_provider: string;
            instance_type: string;
            region: string;
            /** @description pending until the result is known; then the marketplace’s status, or deleting, deleted, error, orphaned */
            status: string;
        };
        BurstingStatusView: {
            /** @enum {string} */
            status: "not_configured" | "configured" | "invalid";
            message: string;
            can_use_bursting: boolean;
            /**
             * Format: date-time
             * @description Since when the marketplace fails, if it does now
             */
            failing_since?: string;
        };
        InstanceAvailabilityView: {
            available?: boolean;
            display_name?: string;
            region?: string;
        };
        InstanceBootTimeView: {
            /** Format: int32 */
            min_boot_in_sec?: number;
            /** Format: int32 */
            max_boot_in_sec?: number;
        };
        InstanceConfigurationView: {
            gpu_type?: string;
            interconnect?: string;
            /** Format: int32 */
            memory_in_gb?: number;
            /** Format: int32 */
            num_gpus?: number;
            /** Format: int32 */
            storage_in_gb?: number;
            /** Format: int32 */
            vcpus?: number;
            /** Format: int32 */
            vram_per_gpu_in_gb?: number;
            nvlink?: boolean;
            os_options?: string[];
        };
        InstanceTypeView: {
            cloud: string;
            cloud_instance_type: string;
            /** @description Empty if unknown */
            deployment_type: string;
            marketplace_instance_type: string;
            /**
             * Format: int32
             * @description Cents
             */
            hourly_price: number;
            availability: components["schemas"]["InstanceAvailabilityView"][];
            boot_time: components["schemas"]["InstanceBootTimeView"];
            configuration: components["schemas"]["InstanceConfigurationView"];
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
        NamespaceListView: {
            namespaces: string[];
        };
        StatusListView: {
            statuses: string[];
        };
        AvailableFiltersView: {
            statuses: string[];
            namespaces: string[];
        };
        PodPageView: {
            pods: components["schemas"]["PodView"][];
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
        JobPageView: {
            jobs: components["schemas"]["JobView"][];
            /** Format: int64 */
            total_count: number;
            available_filters: components["schemas"]["AvailableFiltersView"] | (never | null);
        };
        JobPrioritiesView: {
            priorities: number[];
            /** @description Jobs by priority */
            priority_counts: {
                [key: string]: number;
            };
        };
        JobFilterRowView: {
            /** Format: uuid */
            id: string;
            name: string;
            namespace: string;
            status: string;
            /** Format: int64 */
            pod_count: number;
            /** Format: int32 */
            priority: number | null;
            start_time: string | null;
        };
        JobFilterResultView: {
            jobs: components["schemas"]["JobFilterRowView"][];
            /** Format: int64 */
            total_count: number;
            available_priorities: number[];
        };
        JobPodView: {
            /** Format: uuid */
            id: string;
            name: string;
            namespace: string;
            status: string;
            owner_reference: string | null;
        };
        JobPodsView: {
            /** Format: uuid */
            job_id: string;
            job_name: string;
            /** Format: int64 */
            total_count: number;
            pods: components["schemas"]["JobPodView"][];
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
        SyncFailureView: {
            /** @description Index in the batch, from 0 */
            index: number;
            message: string;
        };
        SyncClusterBatchView: {
            /** @description Resources stored */
            synced: number;
            failed: components["schemas"]["SyncFailureView"][];
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
        RestoreOverridesBody: {
            criu_opts?: string | null;
            pod_name?: string | null;
            /** @description In which the new pod is made; default: that of the first one */
            namespace?: string | null;
            /** @description true: a new pod beside the owner of the first one, such as a Deployment, which would otherwise replace it */
            standalone?: boolean | null;
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
        ReceivedEventView: {
            /** @enum {string} */
            kind: "restore_start" | "restore_success" | "restore_error";
            /** Format: date-time */
            received_at: string;
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
        RestoreProfileView: {
            /** Format: uuid */
            restore_uuid: string;
            profile_object_path: string | null;
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
        PolicyFiringsView: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            until: string;
            /**
             * Format: int64
             * @description Beats that were or will be due; a maintenance window is one beat
             */
            beats: number;
            /**
             * Format: int64
             * @description Of these, beats to come
             */
            planned: number;
            /**
             * Format: int64
             * @description 1 if its newest beat is due and has not run yet
             */
            overdue: number;
            /**
             * Format: int64
             * @description Beats that requested at least one checkpoint
             */
            fired: number;
            /**
             * Format: int64
             * @description Workloads whose checkpoint they requested
             */
            requested: number;
            /**
             * Format: int64
             * @description Requests that became ready
             */
            ready: number;
            /**
             * Format: int64
             * @description Requests that failed; those that are neither ready nor failed are still open
             */
            failed: number;
            /**
             * Format: int64
             * @description Beats that requested their first checkpoint more than 60 s after they were due; 0 for a maintenance window
             */
            late: number;
            /**
             * Format: int64
             * @description Beats that never ran, because a later one replaced them
             */
            missed: number;
            /**
             * Format: int64
             * @description Beats that requested nothing, for a reason that is not recorded
             */
            empty: number;
        };
        ScheduledPolicyView: {
            /** Format: uuid */
            policy_id: string;
            name: string | null;
            /** @enum {string} */
            status: "active" | "disabled";
            /** @description Whether somebody paused it: it is active, and no beat acts */
            paused: boolean;
            /** @enum {string} */
            trigger: "heartbeat" | "maintenance";
            /**
             * Format: int32
             * @description Of a heartbeat
             */
            interval_seconds: number | null;
            /** Format: uuid */
            cluster_id: string;
            cluster_name: string;
            /** @enum {string} */
            cluster_status: "active" | "inactive";
            /**
             * Format: date-time
             * @description When it is due next; null if it is disabled or paused
             */
            next_at: string | null;
            /** @description By time, without buckets that have no beat. A maintenance policy has one, from the start of its window to its end */
            firings: components["schemas"]["PolicyFiringsView"][];
        };
        NextFiringView: {
            /** Format: uuid */
            policy_id: string;
            name: string | null;
            /** @enum {string} */
            trigger: "heartbeat" | "maintenance";
            /** Format: uuid */
            cluster_id: string;
            cluster_name: string;
            /**
             * @description While its cluster is inactive, it waits
             * @enum {string}
             */
            cluster_status: "active" | "inactive";
            /**
             * Format: date-time
             * @description When it is due; in the past if it is overdue
             */
            at: string;
            /**
             * Format: date-time
             * @description End of a maintenance window
             */
            until: string | null;
        };
        PolicyScheduleView: {
            /** Format: date-time */
            from: string;
            /** Format: date-time */
            until: string;
            /**
             * Format: date-time
             * @description The database's time, which divides what was due from what will be
             */
            at: string;
            /**
             * Format: int64
             * @description Length of a bucket, which start at `from`
             */
            bucket_seconds: number;
            /**
             * Format: int64
             * @description Policies with beats in the span, those of other pages included
             */
            total_count: number;
            /** @description Active ones first, then the newest */
            policies: components["schemas"]["ScheduledPolicyView"][];
            /** @description The next firings over all policies of clusters that report, from now on, whatever the span; by time */
            next_firings: components["schemas"]["NextFiringView"][];
            /** @description Active policies whose cluster is silent, each with its next firing: the first 10 that are due */
            waiting: components["schemas"]["NextFiringView"][];
            /**
             * Format: int64
             * @description Active policies whose cluster is silent; without those whose window has begun
             */
            waiting_count: number;
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
        HeartbeatTriggerBody: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "heartbeat";
            config: components["schemas"]["HeartbeatTriggerConfig"];
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
        MaintenanceTriggerBody: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "maintenance";
            config: components["schemas"]["MaintenanceTriggerConfig"];
        };
        NamespaceFilterConfig: {
            cluster_id: string;
            namespace: string;
        };
        NamespaceFilterBody: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "namespace";
            config: components["schemas"]["NamespaceFilterConfig"];
        };
        PodsFilterConfig: {
            cluster_id: string;
            /** @description Row ids, or Kubernetes uids */
            pod_ids?: string[];
        };
        PodsFilterBody: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "pods";
            config: components["schemas"]["PodsFilterConfig"];
        };
        JobsFilterConfig: {
            cluster_id: string;
            namespace?: string | null;
            /** Format: int32 */
            priority?: number | null;
        };
        JobsFilterBody: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "jobs";
            config: components["schemas"]["JobsFilterConfig"];
        };
        SlurmJobsFilterConfig: {
            cluster_id: string;
            /** @description Slurm's job numbers, as text */
            job_ids?: string[];
        };
        SlurmJobsFilterBody: {
            /**
             * @description discriminator enum property added by openapi-typescript
             * @enum {string}
             */
            type: "slurm_jobs";
            config: components["schemas"]["SlurmJobsFilterConfig"];
        };
        CheckpointActionConfig: {
            /** @enum {string} */
            kind: "simple" | "rootfs" | "rootfsonly";
            runc_root?: string | null;
        };
        CheckpointActionBody: {
            /** @enum {string} */
            type: "checkpoint";
            config: components["schemas"]["CheckpointActionConfig"];
        };
        PolicyPipeline: {
            trigger: components["schemas"]["HeartbeatTriggerBody"] | components["schemas"]["MaintenanceTriggerBody"];
            filter: components["schemas"]["NamespaceFilterBody"] | components["schemas"]["PodsFilterBody"] | components["schemas"]["JobsFilterBody"] | components["schemas"]["SlurmJobsFilterBody"];
            action: components["schemas"]["CheckpointActionBody"];
        };
        PreviewPolicyBody: {
            pipeline: components["schemas"]["PolicyPipeline"];
            name?: string | null;
            /**
             * Format: int32
             * @description Number of ready checkpoints of each workload that the policy keeps: when a newer one is ready, it deprecates those before them. Null, the default: all
             */
            keep_last?: number | null;
            /**
             * Format: uuid
             * @description An existing policy, to which `keep_last` would apply: pods that it names may be gone, and its window over
             */
            policy_id?: string;
        };
        PolicyPodView: {
            /** Format: uuid */
            id: string;
            name: string;
            namespace: string;
            status: string;
        };
        PolicyJobView: {
            /** @description Row id */
            id: string;
            name: string;
            /** @description For a Slurm job, its partition */
            namespace: string;
            status: string;
            /**
             * Format: int64
             * @description Running pods
             */
            pod_count: number;
            /** Format: int32 */
            priority: number | null;
        };
        PolicyWarningView: {
            /** @enum {string} */
            code: "cluster_silent" | "wrong_cluster_kind" | "nothing_matches" | "empties_nodes" | "interval_too_short" | "window_open";
            /** @description A sentence for people */
            message: string;
        };
        PolicyPreviewView: {
            /** Format: uuid */
            cluster_id: string;
            cluster_name: string;
            /** @enum {string} */
            cluster_status: "active" | "inactive";
            /**
             * Format: int64
             * @description Workloads whose checkpoint a beat would request now: running pods, or running Slurm jobs
             */
            workload_count: number;
            /**
             * Format: int64
             * @description Running pods that it would act on now
             */
            pod_count: number;
            /** @description The first 20, by namespace and name */
            pods: components["schemas"]["PolicyPodView"][];
            /**
             * Format: int64
             * @description Jobs that own these pods, or that match a filter of jobs
             */
            job_count: number;
            /** @description The first 20, by namespace and name */
            jobs: components["schemas"]["PolicyJobView"][];
            /**
             * Format: date-time
             * @description When it would be due first, if it were created now; in the past if its window is open
             */
            first_at: string;
            /** @description Times at which it would be due, ISO 8601: the start of a window, or the first 10 of a heartbeat. They are fewer if `max_checkpoints` ends it before, when each beat makes a checkpoint of every workload that matches now */
            next_firings: string[];
            /**
             * Format: int64
             * @description With `keep_last`: how many checkpoints it keeps at most of the workloads that match now, each with all its containers; null if it keeps all
             */
            kept_count: number | null;
            /**
             * Format: int64
             * @description With `keep_last`: how many ready checkpoints of the policy `policy_id` would go at most, each container counted; of its first 1,000,000 actions. 0 for a new policy, and in an organisation that has a delta. What is needed otherwise stays, such as what a restore or an artifact needs. Null if it keeps all
             */
            going_count: number | null;
            warnings: components["schemas"]["PolicyWarningView"][];
        };
        CreatePolicyBody: {
            pipeline: components["schemas"]["PolicyPipeline"];
            name?: string | null;
            /**
             * Format: int32
             * @description Number of ready checkpoints of each workload that the policy keeps: when a newer one is ready, it deprecates those before them. Null, the default: all
             */
            keep_last?: number | null;
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
        PipelinePolicyPageView: {
            /** Format: int64 */
            total_count: number;
            /** @description Newest first; with include_automatic only */
            automatic_policies?: components["schemas"]["AutoRestorePolicyView"][] | null;
            policies: components["schemas"]["PipelinePolicyView"][];
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
        PolicyPageView: {
            /** Format: int64 */
            total_count: number;
            /** @description Newest first; with include_automatic only */
            automatic_policies?: components["schemas"]["AutoRestorePolicyView"][] | null;
            policies: components["schemas"]["PolicyView"][];
        };
        DeletePolicyBody: {
            /** Format: uuid */
            id: string;
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
        PolicyJobStatusView: {
            policy_id: string;
            /** @description Row ids of jobs, or numbers of Slurm jobs */
            job_ids: string[];
            /** @description Row ids of running pods */
            tracked_pods: string[];
            /** Format: int64 */
            pod_count: number;
            /** @description Status of its jobs; if they differ, all of them, separated by commas */
            job_status: string | null;
            /** @description When its filter was last matched */
            last_updated: string | null;
        };
        PolicyJobsView: {
            policy_id: string;
            /** Format: int64 */
            count: number;
            affected_jobs: components["schemas"]["PolicyJobView"][];
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
        SlurmEventView: {
            /** Format: int64 */
            job_id: number;
            /**
             * Format: uuid
             * @description The registered cluster that reported it
             */
            cluster_id: string;
            /** @description Name of the job */
            name: string;
            /** @description The job's status, but OOM for OUT_OF_MEMORY */
            status: string;
            /**
             * Format: int64
             * @description Unix epoch seconds of the end, else of the start, else of the submission, else 0
             */
            timestamp: number;
            /** Format: int64 */
            derived_ec: number | null;
            /** Format: int32 */
            exit_code: number | null;
            failed_node: string | null;
            /** Format: int64 */
            kill_requid: number | null;
            partition: string | null;
            /** @description Why it ended */
            reason: string | null;
            /**
             * Format: int64
             * @description Seconds
             */
            time_suspended: number | null;
        };
        SlurmClusterView: {
            /** Format: uuid */
            id: string;
            name: string;
            /** @description ACTIVE by default; STALE if the cluster no longer reports it */
            status: string;
            /** @description As reported, or the members of slurmdbd's output */
            metadata: unknown;
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
        CreateWindowBody: {
            /** Format: date-time */
            start_time: string;
            /**
             * Format: date-time
             * @description After start_time
             */
            end_time: string;
            reason: string;
            nodes?: string[] | null;
            partitions?: string[] | null;
            /**
             * @description cancelled and ended are stored until another status is sent; scheduled, active and completed follow from the times, whichever is sent
             * @enum {string|null}
             */
            status?: "scheduled" | "active" | "completed" | "cancelled" | "ended" | null;
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
        UpdateWindowBody: {
            /** Format: date-time */
            start_time?: string | null;
            /**
             * Format: date-time
             * @description After start_time
             */
            end_time?: string | null;
            reason?: string | null;
            nodes?: string[] | null;
            partitions?: string[] | null;
            /**
             * @description cancelled and ended are stored until another status is sent; scheduled, active and completed follow from the times, whichever is sent
             * @enum {string|null}
             */
            status?: "scheduled" | "active" | "completed" | "cancelled" | "ended" | null;
        };
        CreateProfileBody: {
            profile_id: string;
            /** @description The model name that clients request */
            logical_model: string;
            /** @description The model that the workers serve */
            exact_model: string;
            /** @description Base address of its workers. A profile with `spec.worker` needs none: their addresses are reported */
            backend_url: string;
            /** @description Any JSON. The service reads `checkpoint` (true: checkpoints whatever the hosting mode), `checkpoint_owner`, `cpu_fixture`, `endpoints` (list of `chat`, `completions`, `embeddings`, `responses`; the first two by default), `engine_flags`, `pricing` (`prompt_usd_per_mtok`, `completion_usd_per_mtok`: US dollars per million tokens) and `worker`, which says how agents run its workers (`command` or `image`, `port`, `ready_path`, `env`, `resources` (`cpus`, `memory_mib`, `gpus`), `store`, `network`, `start_timeout_seconds`, `stop_grace_seconds`) */
            spec: unknown;
            /** @description What must be equal for a checkpoint to be restored: hashed into compatibility_key */
            compatibility?: {
                [key: string]: unknown;
            };
            /** @description For the controller that creates workers */
            engine_template?: unknown;
            /**
             * Format: int64
             * @default 0
             */
            estimated_cold_start_ms?: number;
            /**
             * @description checkpointed, dedicated, shared, or any other text
             * @default dedicated
             */
            hosting_mode?: string;
            /**
             * Format: int32
             * @description The fewest that automatic scaling requests; at 0 it suspends the profile
             * @default 0
             */
            min_replicas?: number;
            /**
             * Format: int32
             * @description The most that may be requested
             * @default 1
             */
            max_replicas?: number;
            /**
             * Format: int32
             * @description Requests that one replica serves at a time
             * @default 8
             */
            target_concurrency?: number;
            /**
             * Format: int32
             * @description The most requests that wait for the profile in each process of the service
             * @default 64
             */
            max_queue_depth?: number;
            /**
             * Format: int64
             * @description Without a request for this long, it goes down to min_replicas
             * @default 900
             */
            scale_down_idle_seconds?: number;
            /** @description The service requests as many replicas as the requests need, from min_replicas to max_replicas. By default true with `spec.worker`, else false */
            autoscale?: boolean;
            /** @description false: no route chooses it. The only member that a later request may change; if it is left out, it stays, or is true for a new profile */
            enabled?: boolean;
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
        PutWorkerEndpointBody: {
            /** @description Address of the engine's metrics */
            metrics_url: string;
            pod_name?: string | null;
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
        ArtifactCandidateView: {
            artifact: components["schemas"]["ArtifactView"];
            /** @description It is restorable, and no difference from what is requested blocks */
            restorable: boolean;
            mismatches: components["schemas"]["ArtifactMismatchView"][];
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
        PromoteArtifactBody: {
            /**
             * @description A hotter tier than the present one
             * @enum {string}
             */
            tier: "memory" | "local" | "shared" | "object";
            /** @description Milliseconds from now until the promotion fails */
            deadline_ms?: number | null;
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
        RequestCheckpointBody: {
            reason?: string | null;
            /**
             * @description Whether it replaces the previous checkpoint
             * @default true
             */
            replace_existing?: boolean;
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
        LifecycleEventView: {
            /** Format: uuid */
            event_id: string;
            /** @enum {string} */
            kind: "worker.scheduled" | "worker.pulling" | "worker.restoring" | "worker.loading" | "worker.warming" | "model.weights_ready" | "model.ready" | "worker.draining" | "worker.stopped" | "worker.failed" | "checkpoint.started" | "checkpoint.completed" | "checkpoint.failed" | "restore.started" | "restore.completed" | "restore.failed" | "route.published" | "route.withdrawn" | "node.booted";
            /** Format: date-time */
            occurred_at: string;
            payload: unknown;
            /** Format: int64 */
            generation: number | null;
            /** Format: int64 */
            sequence: number | null;
            profile_id: string | null;
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
        ObservationListItemView: {
            /** Format: uuid */
            id: string;
            observation_key: string;
            event_type: string;
            evidence: string;
            source: string;
            /** Format: date-time */
            started_at: string;
            profile_id: string | null;
            /** Format: uuid */
            experiment_id: string | null;
            /**
             * Format: int64
             * @description Milliseconds
             */
            duration_ms: number | null;
            /**
             * Format: int64
             * @description Milliseconds to the first token
             */
            ttft_ms: number | null;
            /** Format: int64 */
            prompt_tokens: number | null;
            /** Format: int64 */
            completion_tokens: number | null;
            /** Format: int64 */
            logical_bytes: number | null;
            /** Format: int64 */
            physical_bytes: number | null;
            success: boolean | null;
            fallback_used: boolean | null;
            deadline_missed: boolean | null;
        };
        RecordObservationBody: {
            /** @description A key is recorded once */
            observation_key: string;
            event_type: string;
            /** @description Its evidence, such as measured or estimated */
            evidence: string;
            source: string;
            /** Format: date-time */
            started_at: string;
            /** Format: uuid */
            experiment_id?: string | null;
            profile_id?: string | null;
            action_id?: string | null;
            checkpoint_id?: string | null;
            checkpoint_mode?: string | null;
            cluster_id?: string | null;
            deployment_id?: string | null;
            node_id?: string | null;
            request_id?: string | null;
            storage_tier?: string | null;
            /** Format: date-time */
            completed_at?: string | null;
            /**
             * Format: int64
             * @description Milliseconds; by default, from start to end
             */
            duration_ms?: number | null;
            /**
             * Format: int64
             * @description Milliseconds to the first token
             */
            ttft_ms?: number | null;
            /** Format: int64 */
            prompt_tokens?: number | null;
            /** Format: int64 */
            completion_tokens?: number | null;
            /** Format: int64 */
            logical_bytes?: number | null;
            /** Format: int64 */
            physical_bytes?: number | null;
            /** Format: int64 */
            reused_bytes?: number | null;
            /** Format: int64 */
            written_bytes?: number | null;
            /** Format: int64 */
            transferred_bytes?: number | null;
            success?: boolean | null;
            fallback_used?: boolean | null;
            deadline_missed?: boolean | null;
            /** @description Anything */
            dimensions?: unknown;
            /** @description Anything */
            metrics?: unknown;
        };
        ObservationView: {
            /** Format: uuid */
            id: string;
            observation_key: string;
            event_type: string;
            evidence: string;
            source: string;
            /** Format: date-time */
            started_at: string;
            profile_id: string | null;
            /** Format: uuid */
            experiment_id: string | null;
            /**
             * Format: int64
             * @description Milliseconds
             */
            duration_ms: number | null;
        };
        RetentionPolicyView: {
            policy_id: string;
            name: string;
            enabled: boolean;
            max_age_days: number | null;
            max_count: number | null;
            min_tier: string | null;
            profile_id: string | null;
        };
        RetentionPolicyBody: {
            name: string;
            /** @description The policy to replace; a new one gets a generated id */
            policy_id?: string | null;
            /** @description Default true */
            enabled?: boolean;
            /** @description Older artifacts expire */
            max_age_days?: number | null;
            /** @description The number of newest artifacts of each profile that stay; golden ones do not count */
            max_count?: number | null;
            /**
             * @description Covers this tier and colder ones; default: every tier
             * @enum {string|null}
             */
            min_tier?: "memory" | "local" | "shared" | "object" | null;
            /** @description The profile that it covers; default: every profile */
            profile_id?: string | null;
        };
        RetentionDecisionView: {
            artifact_id: string;
            /** @enum {string} */
            decision: "keep" | "expire";
            /** @description Why, in a sentence */
            reason: string;
            /** @description The policy that expires it, or would without the reason */
            policy_id: string | null;
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
        CostRateView: {
            profile_id: string;
            /**
             * Format: double
             * @description US dollars per replica and hour
             */
            node_hourly_usd: number;
            /**
             * Format: double
             * @description US dollars per 10^9 bytes and hour
             */
            storage_gb_hour_usd: number;
            /**
             * Format: double
             * @description US dollars per 10^9 bytes transferred
             */
            transfer_gb_usd: number;
        };
        SaveCostRateBody: {
            profile_id: string;
            /**
             * Format: double
             * @description US dollars per replica and hour. If left out, it stays; default 0
             */
            node_hourly_usd?: number;
            /**
             * Format: double
             * @description US dollars per 10^9 bytes and hour. If left out, it stays; default 0
             */
            storage_gb_hour_usd?: number;
            /**
             * Format: double
             * @description US dollars per 10^9 bytes transferred. If left out, it stays; default 0
             */
            transfer_gb_usd?: number;
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
        CreateExperimentBody: {
            name: string;
            /** @description What it does */
            scenario: string;
            /** @description Any JSON; an empty object by default */
            parameters?: unknown;
            /** @description While it runs, requests that this profile serves belong to it unless they name another experiment */
            profile_id?: string | null;
        };
        ExperimentView: {
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
        };
        CompleteExperimentBody: {
            /** @enum {string} */
            status: "completed" | "cancelled";
        };
        CreateInferenceKeyBody: {
            name: string;
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
        InferenceKeyCreatedView: {
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
            /** @description The bearer: shown only here, stored nowhere */
            raw_key: string;
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
        RouteTargetView: {
            priority: number;
            profile_id: string;
            tier: string;
            /** @description false if it is disabled; absent otherwise */
            enabled?: boolean;
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
        RouteTargetBody: {
            profile_id: string;
            /** @description The tier that a classifier may pick */
            tier: string;
            /**
             * Format: int32
             * @description The lowest one is tried first
             */
            priority: number;
            /**
             * @description false keeps requests of this route away from it
             * @default true
             */
            enabled?: boolean;
        };
        SaveRouteBody: {
            logical_model: string;
            /**
             * @description If left out, it stays; default priority
             * @enum {string}
             */
            mode?: "priority" | "classifier";
            /**
             * Format: int64
             * @description How long a request may wait, 0 for not at all. If left out, it stays; default 30000
             */
            queue_timeout_ms?: number;
            /** @description The profile that picks a tier; needed for mode classifier */
            classifier_profile_id?: string | null;
            /** @description Instructions for the classifier before the request */
            classifier_prompt?: string | null;
            /** @description JSON Schema, as text, of the object that the classifier answers; the service reads its member tier. No patterns, no references and no uniqueItems */
            classifier_response_schema?: string | null;
            /** @description If left out, they stay */
            targets?: components["schemas"]["RouteTargetBody"][];
        };
        UnchosenTargetView: {
            profile_id: string;
            /** @description disabled: on the target of the route, or on the profile */
            reason: string;
        };
        RouteStatusView: {
            logical_model: string;
            /** @description The first of its enabled targets, else the first; empty without targets */
            primary_profile_id: string;
            primary_ready: boolean;
            primary_phase: string | null;
            /** @description The first other target that is ready, else the second */
            fallback_profile_id: string | null;
            fallback_ready: boolean;
            /** @description Address of the serving target */
            endpoint: string | null;
            /** Format: int64 */
            queue_timeout_ms: number;
            /** @description One of serving, fallback, activating, suspended, cold, disabled: the primary serves; only the fallback serves; the primary is requested; it is requested to be suspended; none of these; every target is disabled */
            state: string;
            /** @description A pending intent requests the primary to be Active with at least one replica */
            pending_activation: boolean;
            /** @description A pending intent requests the primary to release its nodes */
            pending_release: boolean;
            /** @description Any pending intent of the primary */
            pending_intent: boolean;
            /** @description Checkpoint that the worker of the primary was started with */
            restore_checkpoint_path: string | null;
            /**
             * @description How the worker of the primary started
             * @enum {string|null}
             */
            start_kind: "restore" | "cold" | null;
            /** @description Targets that are never chosen, and why */
            unchosen_targets: components["schemas"]["UnchosenTargetView"][];
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
        PendingResolutionView: {
            pending_profile_id: string;
            /**
             * Format: int64
             * @description By its measured starts, or the estimate
             */
            retry_after_ms: number;
        };
        AuthorizeBody: {
            /** @description The router's own id, unique in the organisation */
            request_id: string;
            logical_model: string;
            /**
             * Format: int64
             * @description Default: the size of this body / 4
             */
            estimated_prompt_tokens?: number;
        };
        AuthorizationView: {
            /** Format: uuid */
            authorization_id: string;
            /** Format: int64 */
            route_generation: number;
            /**
             * Format: date-time
             * @description May be resolved until then
             */
            expires_at: string;
        };
        ResolveBody: {
            /** Format: uuid */
            authorization_id: string;
            /** @description The router's own id, unique in the organisation */
            request_id: string;
            logical_model: string;
            /** @description The profile that the caller prefers */
            preferred_profile_id?: string | null;
            /**
             * Format: int64
             * @description Requests that wait in the router
             */
            queued_requests?: number;
            /** @description Streams that the router has open */
            active_streams_by_profile?: {
                [key: string]: number;
            };
        };
        ResolutionView: {
            profile_id: string;
            /** @description Tier and profile, as `large/llama-8b-h100` */
            target_name: string;
            /** @description Name by which its workers know the model */
            upstream_model: string;
            /** @description Address of the worker for this request: the workers of a profile take turns */
            worker_url: string | null;
            /** Format: int64 */
            route_generation: number;
            /** @enum {string} */
            decision_source: "priority" | "classifier" | "preferred" | "fallback";
            /** @description Another target than the first serves */
            fallback_used: boolean;
            /** @description How its worker started for this request: one of warm, restore, cold */
            activation_path: string;
        };
        RouterTargetView: {
            profile_id: string;
            tier: string;
            /** @description Stable; contains no activation or generation */
            service_url: string;
            upstream_model: string;
            /** Format: int32 */
            priority: number;
            /** Format: int32 */
            min_replicas: number;
            /** Format: int32 */
            max_replicas: number;
            /**
             * Format: int32
             * @description Ready workers
             */
            current_replicas: number;
            /** Format: int32 */
            target_concurrency: number;
            /** Format: int32 */
            max_queue_depth: number;
            ready: boolean;
            /** @description Takes no further requests */
            draining: boolean;
            /** @description false if it must not be chosen; absent otherwise */
            enabled?: boolean;
            /** Format: double */
            node_hourly_usd: number;
        };
        RouterRouteView: {
            logical_model: string;
            mode: string;
            /** Format: int64 */
            queue_timeout_ms: number;
            /** Format: int64 */
            generation: number;
            targets: components["schemas"]["RouterTargetView"][];
            classifier_profile_id: string | null;
            classifier_prompt: string | null;
            classifier_response_schema: string | null;
        };
        RouterConfigView: {
            /** Format: int32 */
            schema_version: number;
            /**
             * Format: int64
             * @description Sum of the generations of the routes
             */
            generation: number;
            routes: components["schemas"]["RouterRouteView"][];
        };
        RecordTelemetryBody: {
            /** @description The router's own id, unique in the organisation */
            request_id: string;
            logical_model: string;
            /** @description The profile that served it */
            profile_id?: string | null;
            /** @description One of priority, classifier, preferred, fallback, or any other text */
            decision_source?: string | null;
            /** @description One of warm, restore, cold, or any other text */
            activation_path?: string | null;
            /** @description The profile that picked the tier */
            classifier_profile_id?: string | null;
            /** Format: int64 */
            route_generation?: number | null;
            /**
             * Format: int64
             * @description Milliseconds from its arrival until it was sent to a worker
             */
            queue_ms?: number | null;
            /**
             * Format: int64
             * @description Milliseconds from its arrival until the first byte of the answer
             */
            ttft_ms?: number | null;
            /**
             * Format: int64
             * @description Milliseconds in which a worker was busy with it
             */
            stream_duration_ms?: number | null;
            /**
             * Format: int64
             * @description Milliseconds from its arrival until the end of the answer
             */
            end_to_end_latency_ms?: number | null;
            /**
             * Format: int64
             * @description Milliseconds for the classification
             */
            classifier_latency_ms?: number | null;
            /** Format: int64 */
            prompt_tokens?: number | null;
            /** Format: int64 */
            completion_tokens?: number | null;
            /**
             * Format: int32
             * @description Status of the reply; 499: the client left
             */
            status_code?: number | null;
            /** Format: int32 */
            upstream_attempts?: number | null;
            /** Format: double */
            mean_inter_token_ms?: number | null;
            /** Format: double */
            p95_inter_token_ms?: number | null;
            fallback_used?: boolean | null;
        };
        RouterSampleBody: {
            /** @description Logical model */
            route: string;
            profile_id: string;
            metric_name: string;
            /** Format: double */
            value: number;
            /**
             * Format: int64
             * @description Milliseconds since 1970
             */
            timestamp: number;
        };
        RecordSamplesBody: {
            samples: components["schemas"]["RouterSampleBody"][];
        };
        ModelView: {
            /** @description The name for requests */
            id: string;
            /** @enum {string} */
            object: "model";
            /** @description When its route was first saved, in seconds since 1970 */
            created: number;
            owned_by: string;
        };
        ModelListView: {
            /** @enum {string} */
            object: "list";
            data: components["schemas"]["ModelView"][];
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
        SaveFleetBody: {
            /** @description The fleet to change; a new one gets a generated id */
            fleet_id?: string | null;
            name: string;
            logical_model: string;
            profile_ids: string[];
            /** @description Any JSON. `max_node_usd_per_hour`, a number of at least 0, is the budget for its nodes: a capacity request beyond it answers 409. If left out, they stay */
            budgets?: unknown;
            /** @description If left out, it stays */
            availability?: string | null;
            /** @description If left out, it stays */
            residency?: string | null;
        };
        ServingView: {
            /**
             * Format: int64
             * @description Reported requests, including refused ones
             */
            requests: number;
            /** Format: int64 */
            fallbacks: number;
            /** Format: int64 */
            deadline_misses: number;
            /** Format: int64 */
            prompt_tokens: number;
            /** Format: int64 */
            completion_tokens: number;
            /**
             * Format: double
             * @description Milliseconds
             */
            average_ttft_ms: number | null;
            /**
             * Format: int64
             * @description Requests that report a time to the first token: average_ttft_ms is their mean
             */
            ttft_count: number;
            /**
             * Format: double
             * @description Completion tokens per second in which a worker was busy with their request
             */
            tokens_per_second: number | null;
            /**
             * Format: int64
             * @description Requests that tokens_per_second is of; null without experiment_id, as hourly sums do not keep it
             */
            timed_count: number | null;
        };
        SampleView: {
            /**
             * Format: int64
             * @description Number of measurements; 0 for an estimate
             */
            samples: number;
            /**
             * Format: int64
             * @description Milliseconds, nearest rank
             */
            p50_ms: number;
            /**
             * Format: int64
             * @description Milliseconds, nearest rank
             */
            p95_ms: number | null;
        };
        StartupView: {
            /** @description Time until a cold worker was ready */
            cold: components["schemas"]["SampleView"] | (never | null);
            /** @description Time until a restored worker was ready */
            restore: components["schemas"]["SampleView"] | (never | null);
            /** @description Time until a request was sent to a worker that was ready before */
            warm: components["schemas"]["SampleView"] | (never | null);
            /**
             * Format: int64
             * @description Cold median less that of restores, milliseconds
             */
            saved_p50_ms: number | null;
            /**
             * Format: double
             * @description Cold median divided by that of restores
             */
            speedup_p50: number | null;
        };
        StorageBytesView: {
            /** Format: int64 */
            logical_bytes: number;
            /** Format: int64 */
            physical_bytes: number;
            /** Format: int64 */
            reused_bytes: number;
            /** Format: int64 */
            written_bytes: number;
            /**
             * Format: int64
             * @description As observations report them
             */
            transferred_bytes: number;
            /**
             * Format: double
             * @description Logical divided by physical bytes
             */
            dedup_ratio: number | null;
            /**
             * Format: double
             * @description Share of the kept bytes that did not have to be written, 0 to 1
             */
            incremental_ratio: number | null;
        };
        AnalyticsView: {
            /**
             * @description measured: samples in the window; estimated: only profiles' estimates
             * @enum {string}
             */
            evidence: "measured" | "estimated" | "none";
            /**
             * Format: int64
             * @description Requests, and measured starts
             */
            sample_count: number;
            /** Format: int64 */
            window_hours: number;
            /** Format: uuid */
            experiment_id: string | null;
            profile_id: string | null;
            serving: components["schemas"]["ServingView"];
            startup: components["schemas"]["StartupView"];
            storage: components["schemas"]["StorageBytesView"];
        };
        UsageBucketView: {
            /**
             * Format: date-time
             * @description Begin of the bucket; the first one is a part, and the last one has not ended
             */
            bucket: string;
            /** Format: int64 */
            requests: number;
            /**
             * Format: int64
             * @description With a status of 2xx
             */
            successes: number;
            /** Format: int64 */
            fallbacks: number;
            /** Format: int64 */
            deadline_misses: number;
            /** Format: int64 */
            prompt_tokens: number;
            /** Format: int64 */
            completion_tokens: number;
            /**
             * Format: int64
             * @description Milliseconds
             */
            cold_start_avoided_ms: number;
            /**
             * Format: double
             * @description Milliseconds
             */
            avg_backend_ms: number | null;
            /**
             * Format: double
             * @description Milliseconds
             */
            avg_routing_ms: number | null;
            /**
             * Format: double
             * @description Milliseconds
             */
            avg_ttft_ms: number | null;
        };
        StartView: {
            /** @description The artifact that the worker was restored from */
            checkpoint_path: string | null;
            /** @description Empty if the pod is unknown */
            pod_name: string;
            ready_at: string | null;
            /**
             * Format: int64
             * @description From its scheduling until it was ready, milliseconds
             */
            start_time_ms: number;
            restored: boolean;
        };
        StartupComparisonView: {
            profile_id: string;
            logical_model: string;
            /** @description Of the newest 500 measured cold starts, however many restores followed */
            cold: components["schemas"]["SampleView"] | (never | null);
            restored: components["schemas"]["SampleView"] | (never | null);
            /**
             * Format: int64
             * @description Median milliseconds that a restore saves
             */
            saved_ms: number | null;
            /**
             * Format: double
             * @description Cold median divided by that of restores; above 1, restoring is faster
             */
            speedup: number | null;
            /** @description Newest first */
            starts: components["schemas"]["StartView"][];
        };
        TierSummaryView: {
            /** @description From hot to cold */
            tier: string;
            /**
             * Format: int64
             * @description Artifacts stored there
             */
            artifacts: number;
            /**
             * Format: int64
             * @description Their physical bytes
             */
            bytes: number;
            /**
             * Format: double
             * @description Sum of the hours for which artifacts were stored there, including deleted ones
             */
            residency_hours: number;
            /**
             * Format: int64
             * @description Artifacts that were moved there from another tier
             */
            transfers: number;
        };
        StorageSummaryView: {
            tiers: components["schemas"]["TierSummaryView"][];
            /** Format: int64 */
            total_artifacts: number;
            /** Format: int64 */
            total_bytes: number;
        };
        CorrelationUsageView: {
            /** Format: int64 */
            requests: number;
            /** Format: int64 */
            fallbacks: number;
            /** Format: int64 */
            successful_requests: number;
            /**
             * Format: int64
             * @description Milliseconds
             */
            cold_start_avoided_ms: number;
        };
        NamedCountView: {
            name: string;
            /** Format: int64 */
            count: number;
        };
        CorrelatedArtifactView: {
            artifact_id: string;
            checkpoint_mode: string;
            status: string;
        };
        CorrelationView: {
            /** Format: uuid */
            experiment_id: string;
            name: string;
            scenario: string;
            status: string;
            /** @description Requests that name the experiment */
            usage: components["schemas"]["CorrelationUsageView"];
            /** @description Capacity requests for its profile in its time, by state */
            intents: components["schemas"]["NamedCountView"][];
            /** @description Phases that its profile entered in its time */
            activations: components["schemas"]["NamedCountView"][];
            /** @description Its observations, by type */
            observations: components["schemas"]["NamedCountView"][];
            /** @description How its requests were routed */
            policy_decisions: components["schemas"]["NamedCountView"][];
            /** @description Created in its time, or restored from in its time */
            artifacts: components["schemas"]["CorrelatedArtifactView"][];
        };
        IdleCostView: {
            /**
             * Format: double
             * @description US dollars: workers that started
             */
            starting_usd: number;
            /**
             * Format: double
             * @description US dollars: workers that were ready, with no request in flight
             */
            warm_idle_usd: number;
            /**
             * Format: double
             * @description US dollars: workers whose release was requested, and that still held their node
             */
            release_usd: number;
        };
        TokenCostView: {
            /**
             * Format: double
             * @description US dollars per 10^6 tokens, for the held node time
             */
            held_usd: number | null;
            /**
             * Format: double
             * @description US dollars per 10^6 tokens, for the node time with a request in flight
             */
            used_usd: number | null;
        };
        PriceView: {
            profile_id: string;
            /** Format: double */
            node_hourly_usd: number;
            /** Format: double */
            storage_gb_hour_usd: number;
            /** Format: double */
            transfer_gb_usd: number;
            /**
             * @description configured: saved for the profile; none: never saved, so 0
             * @enum {string}
             */
            source: "configured" | "none";
            /** Format: date-time */
            updated_at: string | null;
        };
        CostBreakdownRowView: {
            profile_id: string;
            /**
             * Format: int64
             * @description Workers that began to start
             */
            activation_count: number;
            /**
             * Format: int64
             * @description Prompt and completion
             */
            tokens_served: number;
            /**
             * Format: double
             * @description Seconds: with a request in flight
             */
            active_duration_s: number;
            /**
             * Format: double
             * @description Seconds: held without one
             */
            idle_time_s: number;
            /**
             * Format: double
             * @description Seconds: from its scheduling until it was released, of every replica
             */
            node_seconds: number;
            /**
             * Format: double
             * @description US dollars
             */
            compute_usd: number;
            /**
             * Format: double
             * @description US dollars
             */
            storage_usd: number;
            /**
             * Format: double
             * @description US dollars
             */
            transfer_usd: number;
            /**
             * Format: double
             * @description US dollars: fallbacks in its place, at their rate; a part of their compute
             */
            fallback_usd: number;
            /**
             * Format: double
             * @description US dollars: compute, storage and transfer
             */
            total_usd: number;
            /**
             * Format: double
             * @description Mean milliseconds from the requested release until the release
             */
            release_latency_ms: number | null;
            /** @description The idle part of the compute cost */
            idle_cost: components["schemas"]["IdleCostView"];
            cost_per_mtok: components["schemas"]["TokenCostView"];
            price: components["schemas"]["PriceView"];
        };
        CostDayView: {
            /**
             * Format: date-time
             * @description When the day began, at midnight UTC
             */
            from: string;
            /**
             * Format: date-time
             * @description When it ended; for today, now
             */
            to: string;
            /**
             * Format: int64
             * @description Prompt and completion
             */
            tokens_served: number;
            /**
             * Format: double
             * @description Seconds: held by workers
             */
            node_seconds: number;
            /**
             * Format: double
             * @description US dollars
             */
            compute_usd: number;
            /**
             * Format: double
             * @description US dollars
             */
            storage_usd: number;
            /**
             * Format: double
             * @description US dollars
             */
            transfer_usd: number;
            /**
             * Format: double
             * @description US dollars: compute, storage and transfer
             */
            total_usd: number;
            /** @description The idle part of the compute cost */
            idle_cost: components["schemas"]["IdleCostView"];
        };
        DailyCostsView: {
            /** @description The oldest first; the last one is today */
            days: components["schemas"]["CostDayView"][];
        };
        CostSideView: {
            /**
             * Format: double
             * @description US dollars
             */
            cost_usd: number;
            /** Format: double */
            node_seconds: number;
            /** Format: int64 */
            heavy_activation_count: number;
            /** Format: double */
            heavy_active_duration_s: number;
        };
        CostQualityView: {
            /**
             * Format: int64
             * @description Reported requests, including refused ones: refusal_rate is a share of them
             */
            requests: number;
            /**
             * Format: double
             * @description Share of requests with a status of 4xx or 5xx, 0 to 1
             */
            refusal_rate: number;
            /**
             * Format: double
             * @description Milliseconds
             */
            avg_ttft_ms: number | null;
            /**
             * Format: int64
             * @description Requests that report a time to the first token: avg_ttft_ms is their mean
             */
            ttft_count: number;
        };
        CostReportView: {
            /** Format: int64 */
            hours: number;
            /** @description The dearest target of every route, always active on one replica */
            baseline: components["schemas"]["CostSideView"];
            /** @description What actually ran */
            treatment: components["schemas"]["CostSideView"];
            /**
             * Format: double
             * @description Seconds
             */
            treatment_idle_time_s: number;
            treatment_idle_cost: components["schemas"]["IdleCostView"];
            treatment_cost_per_mtok: components["schemas"]["TokenCostView"];
            /**
             * Format: double
             * @description Share of requests that the dearest target of their route served, 0 to 1
             */
            treatment_escalation_rate: number;
            treatment_quality: components["schemas"]["CostQualityView"];
            /**
             * Format: double
             * @description US dollars: baseline less treatment
             */
            savings_usd: number;
            /**
             * Format: double
             * @description Percentage of the baseline; 0 if that is 0
             */
            savings_pct: number;
            /**
             * Format: double
             * @description Seconds
             */
            node_seconds_saved: number;
            /**
             * Format: double
             * @description Mean milliseconds from the requested release until the release
             */
            treatment_release_latency_ms: number | null;
            /** @description Why the figures may be misleading; null if there is no reason */
            variance: string | null;
            /** @description The unit prices used; the first 1,000 */
            prices: components["schemas"]["PriceView"][];
        };
        SimulateRouteBody: {
            logical_model: string;
            /** Format: double */
            requests_per_hour: number;
            /**
             * Format: int64
             * @description Milliseconds that a request may wait
             */
            deadline_ms: number;
            /**
             * Format: double
             * @description Share of requests that wait for a cold start
             */
            cold_share: number;
            /**
             * Format: double
             * @description Share of requests that wait for a restore; the others find a ready worker
             */
            restore_share: number;
        };
        RouteSimulationView: {
            logical_model: string;
            /**
             * @description Evidence for the start times of the first target: the weakest of those used
             * @enum {string}
             */
            evidence: "measured" | "estimated" | "none";
            /** Format: double */
            requests_per_hour: number;
            /** Format: double */
            cold_share: number;
            /** Format: double */
            restore_share: number;
            /**
             * Format: double
             * @description Milliseconds that half of the requests wait at most
             */
            projected_p50_ms: number;
            /**
             * Format: double
             * @description Share of requests whose start takes longer than the deadline if no other target served them. Starts without evidence count as missed.
             */
            projected_deadline_miss_rate: number;
            /**
             * Format: double
             * @description Share of requests that go to another target; 0 without one
             */
            projected_fallback_rate: number;
            /**
             * Format: double
             * @description Milliseconds until a cold worker is ready
             */
            projected_cold_p50_ms: number | null;
            /**
             * Format: double
             * @description Milliseconds until a restored worker is ready
             */
            projected_restore_p50_ms: number | null;
        };
        CheckpointSavingsView: {
            /** @description For a Slurm job, its name */
            pod_name: string | null;
            /** @description For a Slurm job, its partition */
            namespace: string | null;
            cluster_id: string | null;
            /** @description Node of its last checkpoint */
            node_name: string | null;
            /** @description As reported by the node when the last checkpoint was requested, like the following members; null if unknown */
            node_region: string | null;
            instance_type: string | null;
            /**
             * @description Null also for another value of the provider
             * @enum {string|null}
             */
            capacity_type: "spot" | "on-demand" | null;
            /** @description As reported with the checkpoint, else by the node */
            gpu: string | null;
            /** @description As reported with the checkpoint; slurm for a Slurm job */
            platform: string | null;
            /** @description ISO 8601: when it was ready */
            first_checkpoint: string | null;
            /** @description ISO 8601: when it was ready */
            last_checkpoint: string | null;
            /** @description ISO 8601: when checkpoints were last counted */
            refreshed_at: string | null;
            /** @description Actions that became ready, whatever the number of containers */
            checkpoint_count: number | null;
            /** @description Of type heartbeat */
            heartbeat_checkpoints: number | null;
            /** @description Of reason manual */
            manual_checkpoints: number | null;
            /** @description All others: of maintenance windows, preemptions and the like */
            other_checkpoints: number | null;
            /** @description Nanoseconds, of all containers */
            total_checkpoint_duration_ns: number | null;
            /** @description Bytes written, of all containers, kept or deleted */
            total_checkpoint_size_bytes: number | null;
            /**
             * Format: double
             * @description Null with one checkpoint
             */
            avg_interval_seconds: number | null;
            /**
             * Format: double
             * @description Null with one checkpoint
             */
            min_interval_seconds: number | null;
            /**
             * Format: double
             * @description Longest interval between two checkpoints; null with one
             */
            max_recovery_point_seconds: number | null;
            /**
             * Format: double
             * @description From the first checkpoint to the last
             */
            time_protected_seconds: number | null;
            /**
             * Format: double
             * @description US dollars: (time protected - max recovery point) at the price of the node; null without one
             */
            estimated_savings: number | null;
            /**
             * Format: double
             * @description US dollars, as saved for the instance type
             */
            ondemand_price_per_hour: number | null;
            /**
             * Format: double
             * @description US dollars, as saved for the instance type
             */
            spot_price_per_hour: number | null;
            /**
             * Format: double
             * @description Time protected / sum of durations; null if no duration is known
             */
            protection_efficiency_ratio: number | null;
        };
        CheckpointSavingsSummaryView: {
            org_id: string | null;
            /** @description ISO 8601: when checkpoints were last counted */
            refreshed_at: string | null;
            /** @description With at least one checkpoint, running or not */
            pods_protected: number | null;
            total_checkpoints: number | null;
            total_heartbeat_checkpoints: number | null;
            total_manual_checkpoints: number | null;
            total_other_checkpoints: number | null;
            /** @description Nanoseconds */
            total_checkpoint_overhead_ns: number | null;
            /** @description Bytes written, kept or deleted */
            total_checkpoint_storage_bytes: number | null;
            /**
             * Format: double
             * @description Over all intervals; null without one
             */
            avg_checkpoint_interval_seconds: number | null;
            /**
             * Format: double
             * @description US dollars, for the pods with a known price
             */
            total_estimated_savings: number | null;
            /**
             * Format: double
             * @description Sum over pods
             */
            total_time_protected_seconds: number | null;
            /**
             * Format: double
             * @description Longest interval of any pod; null without one
             */
            worst_case_recovery_point_seconds: number | null;
        };
        CostSavingsEstimateView: {
            /**
             * Format: double
             * @description As requested
             */
            hourly_rate: number;
            /**
             * Format: double
             * @description Sum over pods
             */
            time_protected_seconds: number;
            /**
             * Format: double
             * @description Longest interval of any pod; 0 without one
             */
            max_recovery_point_seconds: number;
            /**
             * Format: double
             * @description (time protected - max recovery point) * hourly rate / 3600
             */
            max_savings_per_failure: number;
            /**
             * Format: double
             * @description Sum of durations * hourly rate / 3600
             */
            checkpoint_overhead_cost: number;
            /**
             * Format: double
             * @description Max savings less overhead cost; may be negative
             */
            net_potential_savings: number;
            /** Format: int64 */
            pods_protected: number;
            /** Format: int64 */
            total_checkpoints: number;
        };
        HistogramBucketView: {
            /**
             * Format: int64
             * @description Attempts of this bucket and all below it
             */
            count: number;
            /**
             * Format: double
             * @description Upper bound in seconds, or bytes; null for the last
             */
            le: number | null;
        };
        OperationTotalsView: {
            /** @enum {string} */
            operation: "checkpoint" | "restore";
            /**
             * Format: int64
             * @description Including running ones
             */
            attempts: number;
            /** Format: int64 */
            succeeded: number;
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            fallbacks: number;
            /**
             * Format: int64
             * @description Bytes written, or read
             */
            bytes_total: number;
            /** Format: int64 */
            p50_ns: number | null;
            /** Format: int64 */
            p95_ns: number | null;
            /**
             * Format: int64
             * @description Downtime of the workloads
             */
            pause_p50_ns: number | null;
            /** Format: int64 */
            pause_p95_ns: number | null;
            /**
             * Format: int64
             * @description Restores whose pod became ready
             */
            to_ready_count: number;
            /**
             * Format: int64
             * @description From PodScheduled to Ready of the restored pod
             */
            to_ready_p50_ns: number | null;
            /** Format: int64 */
            to_ready_p95_ns: number | null;
            duration_buckets: components["schemas"]["HistogramBucketView"][];
        };
        StageRowView: {
            /** @enum {string} */
            operation: "checkpoint" | "restore";
            /** @description As reported */
            stage: string;
            /** Format: int64 */
            count: number;
            /** Format: int64 */
            p50_ns: number;
            /** Format: int64 */
            p95_ns: number;
            /** Format: int64 */
            total_ns: number;
        };
        TierRowView: {
            /** @enum {string} */
            operation: "checkpoint" | "restore";
            /** @description Empty if unknown */
            storage_tier: string;
            /** Format: int64 */
            attempts: number;
            /** Format: int64 */
            succeeded: number;
            /** Format: int64 */
            bytes_total: number;
            /** Format: int64 */
            p50_ns: number | null;
        };
        FailureRowView: {
            /** @enum {string} */
            operation: "checkpoint" | "restore";
            stage: string;
            reason: string;
            /** Format: int64 */
            count: number;
        };
        TimelineRowView: {
            /**
             * Format: int64
             * @description Begin of the bucket in milliseconds since the Unix epoch, a multiple of the step
             */
            bucket_ms: number;
            /** @enum {string} */
            operation: "checkpoint" | "restore";
            /** Format: int64 */
            succeeded: number;
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            fallbacks: number;
        };
        OperationsSummaryView: {
            /**
             * Format: int64
             * @description Including running ones
             */
            attempts: number;
            /** Format: int64 */
            succeeded: number;
            /** Format: int64 */
            failed: number;
            /** Format: int64 */
            fallbacks: number;
            /** Format: int64 */
            window_seconds: number;
            /**
             * Format: int64
             * @description Width of the buckets of the timeline
             */
            step_seconds: number;
            operations: components["schemas"]["OperationTotalsView"][];
            stages: components["schemas"]["StageRowView"][];
            tiers: components["schemas"]["TierRowView"][];
            failures: components["schemas"]["FailureRowView"][];
            /** @description Sizes of checkpoints */
            artifact_size_buckets: components["schemas"]["HistogramBucketView"][];
            /** @description By start; buckets without ended attempts are left out */
            timeline: components["schemas"]["TimelineRowView"][];
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
        NodeGpuMetricsView: {
            /** @description Empty if unknown */
            node_name: string;
            /** @description By index */
            gpus: components["schemas"]["GpuMetricView"][];
        };
        GpuTimeseriesPointView: {
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
        };
        GpuTimeseriesView: {
            /** @description On its node; empty if the GPU is unknown */
            gpu_index: string;
            gpu_uuid: string;
            /** @description Empty if the GPU is unknown */
            node_name: string;
            model_name: string | null;
            /** @description Oldest first */
            data: components["schemas"]["GpuTimeseriesPointView"][];
        };
        GpuHeatmapRowView: {
            /** @description Empty if unknown */
            node_name: string;
            /** @description Null if the row is a node */
            gpu_uuid: string | null;
            /** @description On its node; empty if unknown, null if the row is a node */
            gpu_index: string | null;
            /** @description Null if unknown, or if the GPUs of the node differ */
            model_name: string | null;
            /** @description GPUs of the row that reported anything in the window */
            gpus: number;
            /** @description GPUs that reported anything in the bin */
            reported: number[];
            /** @description Percent; null if nothing was reported */
            utilization: (number | null)[];
            /** @description Percent of the memory that was used; of a shared GPU (MIG), over its instances; null if not reported */
            memory_used: (number | null)[];
            /** @description Pods that held the GPU in the bin; 0 if the row is a node */
            pods: number[];
            /** @description Position in `holders` of the pod that held the GPU for most samples of the bin; null without one */
            holder: (number | null)[];
        };
        GpuHolderView: {
            namespace: string | null;
            pod_name: string;
            /** @description Kubernetes uid, if the samples name it */
            pod_uid: string | null;
        };
        GpuHeatmapView: {
            /**
             * Format: date-time
             * @description Beginning of the first bin
             */
            from: string;
            /**
             * Format: date-time
             * @description End of the last bin
             */
            until: string;
            bins: number;
            /**
             * Format: double
             * @description Length of a bin in seconds
             */
            bin_seconds: number;
            /** @enum {string} */
            measure: "mean" | "max";
            /** @description Samples of a metric that are read in each bin, at most, spread over it; null: all are read */
            samples_per_bin: number | null;
            /**
             * Format: int64
             * @description Rows of all pages: nodes, or GPUs of the node
             */
            total_rows: number;
            /** @description By name of the node, or index of the GPU */
            rows: components["schemas"]["GpuHeatmapRowView"][];
            /** @description Pods that held a GPU of the rows */
            holders: components["schemas"]["GpuHolderView"][];
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
        K8MetricView: {
            /** @description Of the node; empty if unknown */
            name: string;
            /** @description By metric; empty for a node that is silent now */
            details: components["schemas"]["K8MetricDetailView"][];
        };
        CheckpointCpuView: {
            pod_name: string;
            namespace: string;
            /**
             * Format: date-time
             * @description When the last checkpoint was requested
             */
            checkpoint_timestamp: string;
            /**
             * Format: int64
             * @description Ready checkpoints of the pod that were requested in the window
             */
            checkpoint_count: number;
            /**
             * Format: double
             * @description CPU seconds that the pod had used, as last measured before; 0 if unknown
             */
            cpu_at_checkpoint: number;
            /**
             * Format: double
             * @description MiB, over its GPUs
             */
            gpu_memory_used_mib: number | null;
            /** @description The first model by name */
            gpu_model: string | null;
            /**
             * Format: double
             * @description Percent, the mean over its GPUs
             */
            gpu_utilization_at_checkpoint: number | null;
        };
        SlurmMetricView: {
            /**
             * Format: int64
             * @description Id of the series: one metric with one set of labels
             */
            id: number;
            /** @description As reported */
            name: string;
            /**
             * Format: int64
             * @description Unix seconds of the sample
             */
            timestamp: number;
            /**
             * Format: double
             * @description Null for a gauge, and for a missing value
             */
            counter_value: number | null;
            /**
             * Format: double
             * @description Null for a counter, and for a missing value
             */
            gauge_value: number | null;
            /** @enum {string|null} */
            kind: "gauge" | "counter" | null;
            /** @description An object of its labels */
            tags: unknown;
        };
        SlurmOverviewView: {
            /**
             * Format: int64
             * @description Unix seconds of the newest sample; 0 without one
             */
            timestamp: number;
            /**
             * Format: double
             * @description Sum of the loads of the nodes; null if it is not reported
             */
            cpu_load: number | null;
            /**
             * Format: double
             * @description CPUs without a job; null if it is not reported
             */
            cpus_idle: number | null;
            /**
             * Format: double
             * @description CPUs; null if it is not reported
             */
            cpus_total: number | null;
            /**
             * Format: double
             * @description Allocated memory in bytes; null if it is not reported
             */
            mem_alloc: number | null;
            /**
             * Format: double
             * @description Free memory in bytes; null if it is not reported
             */
            mem_free: number | null;
            /**
             * Format: double
             * @description Memory of the nodes in bytes; null if it is not reported
             */
            mem_real: number | null;
        };
        SlurmStateView: {
            /** @description As sinfo names it, without a sign behind it */
            state: string;
            /** Format: double */
            value: number;
        };
        SlurmStatesView: {
            /**
             * Format: int64
             * @description Unix seconds of the newest sample; 0 without one
             */
            timestamp: number;
            /** @description By state */
            cpus_by_state: components["schemas"]["SlurmStateView"][];
            /** @description By state; each node has one */
            nodes_by_state: components["schemas"]["SlurmStateView"][];
        };
        SlurmPartitionFiguresView: {
            partition_name: string;
            /**
             * Format: int64
             * @description Unix seconds of its newest sample
             */
            timestamp: number;
            /**
             * Format: double
             * @description Sum of the loads of its nodes; null if it is not reported
             */
            cpu_load: number | null;
            /**
             * Format: double
             * @description Free memory in bytes; null if it is not reported
             */
            free_memory: number | null;
            /**
             * Format: double
             * @description CPUs without a job; null if it is not reported
             */
            idle_cpus: number | null;
            /**
             * Format: double
             * @description Nodes in the state idle; null if it is not reported
             */
            idle_nodes: number | null;
            /**
             * Format: double
             * @description Memory of its nodes in bytes; null if it is not reported
             */
            real_memory: number | null;
            /**
             * Format: double
             * @description CPUs; null if it is not reported
             */
            total_cpus: number | null;
        };
        SlurmPartitionNodesView: {
            partition_name: string;
            /** @description As sinfo names it, without a sign behind it */
            state: string;
            /**
             * Format: double
             * @description Number of nodes; each has one state
             */
            count: number;
        };
        TimeseriesPointView: {
            /**
             * Format: int64
             * @description Unix seconds of the sample
             */
            timestamp: number;
            /** Format: double */
            value: number;
        };
        SlurmPartitionHistoryView: {
            partition_name: string;
            /** @description Sum of the loads of its nodes */
            cpu_load: components["schemas"]["TimeseriesPointView"][];
            /** @description Free memory in bytes */
            free_memory: components["schemas"]["TimeseriesPointView"][];
        };
        SlurmMemoryHistoryView: {
            /** @description Allocated memory in bytes */
            allocated_memory: components["schemas"]["TimeseriesPointView"][];
            /** @description Free memory in bytes */
            free_memory: components["schemas"]["TimeseriesPointView"][];
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
    create_organisation: {
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
                "application/json": components["schemas"]["CreateOrganisationBody"];
            };
        };
        responses: {
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["OrganisationView"];
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
            /** @description An organisation with that name exists */
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
    create_token: {
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
                "application/json": components["schemas"]["CreateTokenBody"];
            };
        };
        responses: {
            /** @description Issued */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedTokenView"];
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
            /** @description More than the caller may give */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Organisation unknown */
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
    revoke_token: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                token_id: string;
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
            /** @description A token of platform scope */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Token unknown */
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
    get_sign_in: {
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
                    "application/json": components["schemas"]["SignInView"];
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
    download_main_binary: {
        parameters: {
            query?: {
                /** @description Exact version, or latest, the default */
                version?: string;
                /** @description Architecture, amd64 by default */
                arch?: string;
                /** @description Build type, release by default */
                build?: "alpha" | "release";
                /** @description Only of one repository: `repository`, else the one that published the name first */
                exact?: boolean;
                /** @description Only of this repository, with or without `exact` */
                repository?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the main binary */
            302: {
                headers: {
                    /** @description Signed address with a limited lifetime */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad name, version, architecture or build */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description No such upload */
            404: {
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
    download_install_script: {
        parameters: {
            query?: {
                /** @description Exact version, or latest, the default */
                version?: string;
                /** @description Architecture, amd64 by default */
                arch?: string;
                /** @description Build type, release by default */
                build?: "alpha" | "release";
                /** @description Only of one repository: `repository`, else the one that published the name first */
                exact?: boolean;
                /** @description Only of this repository, with or without `exact` */
                repository?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the install script */
            302: {
                headers: {
                    /** @description Signed address with a limited lifetime */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad name, version, architecture or build */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description No such upload */
            404: {
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
    download_slurm_install_script: {
        parameters: {
            query?: {
                /** @description Exact version, or latest, the default */
                version?: string;
                /** @description Architecture, amd64 by default */
                arch?: string;
                /** @description Build type, release by default */
                build?: "alpha" | "release";
                /** @description Only of one repository: `repository`, else the one that published the name first */
                exact?: boolean;
                /** @description Only of this repository, with or without `exact` */
                repository?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the Slurm install script */
            302: {
                headers: {
                    /** @description Signed address with a limited lifetime */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad name, version, architecture or build */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description No such upload */
            404: {
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
    download_plugin_binary: {
        parameters: {
            query?: {
                /** @description Exact version, or latest, the default */
                version?: string;
                /** @description Architecture, amd64 by default */
                arch?: string;
                /** @description Build type, release by default */
                build?: "alpha" | "release";
                /** @description Only of one repository: `repository`, else the one that published the name first */
                exact?: boolean;
                /** @description Only of this repository, with or without `exact` */
                repository?: string;
            };
            header?: never;
            path: {
                binary_name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description To the plugin binary */
            302: {
                headers: {
                    /** @description Signed address with a limited lifetime */
                    Location?: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Bad name, version, architecture or build */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description No such upload */
            404: {
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
    upload_plugin: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours, or for as long as the addresses in it are valid if that is less */
                "Idempotency-Key"?: string;
            };
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["UploadPluginBody"];
            };
        };
        responses: {
            /** @description Upload addresses */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["UploadUrlsView"];
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
            /** @description Not allowed for this organisation */
            403: {
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
    count_clusters: {
        parameters: {
            query?: {
                /** @description active or inactive */
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
                    "application/json": components["schemas"]["TotalCountView"];
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
    create_cluster_workload: {
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
                "application/json": components["schemas"]["QueueWorkloadBody"];
                "application/yaml": components["schemas"]["QueueWorkloadBody"];
            };
        };
        responses: {
            /** @description Added to queue */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
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
    delete_cluster: {
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
            /** @description Done, no content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
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
            /** @description Deletion failed */
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
    list_hosts: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Comma-separated host ids */
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
                    "application/json": components["schemas"]["HostObject"][];
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
    put_host: {
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
                "application/json": components["schemas"]["HostObject"];
            };
        };
        responses: {
            /** @description Done, no content */
            200: {
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
    delete_host: {
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
            /** @description Done, no content */
            200: {
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
    list_legacy_jobs: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Comma-separated job ids */
                jids?: string;
                /** @description Comma-separated host ids, as in `State.Host.ID` */
                host_ids?: string;
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
                    "application/json": components["schemas"]["LegacyJobObject"][];
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
    put_legacy_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["LegacyJobObject"];
            };
        };
        responses: {
            /** @description Done, no content */
            200: {
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
    delete_legacy_job: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                jid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, no content */
            200: {
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
    list_legacy_job_checkpoints: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Comma-separated checkpoint UUIDs, at most 450 */
                ids?: string;
                /** @description Comma-separated job ids */
                jids?: string;
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
                    "application/json": components["schemas"]["LegacyJobCheckpointObject"][];
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
    put_legacy_job_checkpoint: {
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
                "application/json": components["schemas"]["LegacyJobCheckpointBody"];
            };
        };
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
    delete_legacy_job_checkpoint: {
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
            /** @description Done, no content */
            200: {
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
    get_nodes_summary: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                by?: "status" | "compute_type" | "capacity_type";
                cluster_id?: string;
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
                    "application/json": components["schemas"]["NodesSummaryView"][];
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
    count_nodes: {
        parameters: {
            query?: {
                /** @description Ready, NotReady or Unknown */
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
                    "application/json": components["schemas"]["TotalCountView"];
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
    list_instance_type_prices: {
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
                    "application/json": components["schemas"]["InstanceTypePriceView"][];
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
    save_instance_type_price: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SaveInstanceTypePriceBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InstanceTypePriceView"];
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
    list_seen_instance_types: {
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
                    "application/json": string[];
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
    delete_instance_type_price: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                instance_type: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done, no content */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description No price for that type */
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
    create_instance: {
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
                "application/json": components["schemas"]["CreateInstanceBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CreatedInstanceView"];
                };
            };
            /** @description Bad request, or refused by the marketplace */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The marketplace has no capacity left for it */
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
            /** @description No marketplace, or it does not answer: no request was sent */
            503: {
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
    get_bursting_status: {
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
                    "application/json": components["schemas"]["BurstingStatusView"];
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
    list_instance_types: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Exactly this many GPUs */
                num_gpus?: number;
                /** @description GPUs of this type, in any case */
                gpu_type?: string;
                /** @description Cheapest first, or dearest; else in the marketplace's order */
                sort?: "price" | "-price";
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
                    "application/json": components["schemas"]["InstanceTypeView"][];
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
            /** @description The marketplace does not answer, or refuses the key */
            503: {
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
    delete_instance: {
        parameters: {
            query?: {
                /** @description End the record of a machine that the configured key cannot delete, without asking the marketplace: the machine may run on. For admins. A machine that the key lists is deleted as usual */
                forget?: boolean;
            };
            header?: never;
            path: {
                instance_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Id of the instance */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            /** @description Only admins forget machines */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
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
            /** @description Rented with another key of the marketplace */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Deletion failed */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description No marketplace is configured */
            503: {
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
    count_pods: {
        parameters: {
            query?: {
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
                    "application/json": components["schemas"]["TotalCountView"];
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
    list_pod_namespaces: {
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
                    "application/json": components["schemas"]["NamespaceListView"];
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
    list_pod_statuses: {
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
                    "application/json": components["schemas"]["StatusListView"];
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
    list_jobs: {
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
                    "application/json": components["schemas"]["JobView"][];
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
    count_jobs: {
        parameters: {
            query?: {
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
                    "application/json": components["schemas"]["TotalCountView"];
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
    list_job_namespaces: {
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
                    "application/json": components["schemas"]["NamespaceListView"];
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
    list_job_statuses: {
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
                    "application/json": components["schemas"]["StatusListView"];
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
    list_job_priorities: {
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
                    "application/json": components["schemas"]["JobPrioritiesView"];
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
    list_jobs_by_priority: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                priority: number;
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
    filter_jobs: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                priority?: number;
                namespace?: string;
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
                    "application/json": components["schemas"]["JobFilterResultView"];
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
    get_restore: {
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
                    "application/json": components["schemas"]["RestoreView"];
                };
            };
            /** @description Restore unknown */
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
    put_restore_profile: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                restore_uuid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RestoreProfileView"];
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
            /** @description Restore unknown */
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
    get_slurm_checkpoint_path: {
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
    get_policy_schedule: {
        parameters: {
            query?: {
                /** @description Start of the span; by default a week before `until` */
                from?: string;
                /** @description End of the span, at most 32 days after `from`; by default a week after it. Without both, the week around now */
                until?: string;
                /** @description Only this policy */
                policy_id?: string;
                limit?: number;
                /** @description Policies to skip */
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
                    "application/json": components["schemas"]["PolicyScheduleView"];
                };
            };
            /** @description The span is empty or too long */
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
    preview_pipeline_policy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PreviewPolicyBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PolicyPreviewView"];
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
            /** @description Cluster or pod unknown */
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
    create_pipeline_policy: {
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
                "application/json": components["schemas"]["CreatePolicyBody"];
            };
        };
        responses: {
            /** @description Policy id */
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
            /** @description Cluster or pod unknown */
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
    list_pipeline_policies: {
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
                    "application/json": components["schemas"]["PipelinePolicyPageView"];
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
    delete_policy: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["DeletePolicyBody"];
            };
        };
        responses: {
            /** @description Policy id */
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
    sync_job_policies: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Number of matching pods and jobs */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
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
    get_policy_job_status: {
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
                    "application/json": components["schemas"]["PolicyJobStatusView"];
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
    list_policy_jobs: {
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
                    "application/json": components["schemas"]["PolicyJobsView"];
                };
            };
            /** @description Policy unknown, or not for jobs */
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
    list_policy_pods: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
            };
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
                    "application/json": components["schemas"]["PolicyPodView"][];
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
    list_slurm_jobs_paginated: {
        parameters: {
            query?: {
                /** @description Records to skip */
                offset?: number;
                /** @description Maximum number of records, clamped to 100 */
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
    list_slurm_events: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Case-insensitive; OOM or OUT_OF_MEMORY */
                status?: string | null;
                /** @description Unix epoch seconds, inclusive */
                since?: number | null;
                cluster_id?: string;
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
                    "application/json": components["schemas"]["SlurmEventView"][];
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
    list_slurm_inventory_clusters: {
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
                    "application/json": components["schemas"]["SlurmClusterView"][];
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
    list_slurm_inventory_clusters_paginated: {
        parameters: {
            query?: {
                /** @description Records to skip */
                offset?: number;
                /** @description Maximum number of records, clamped to 100 */
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlurmClusterView"][];
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
    list_slurm_inventory_nodes_paginated: {
        parameters: {
            query?: {
                /** @description Records to skip */
                offset?: number;
                /** @description Maximum number of records, clamped to 100 */
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlurmNodeView"][];
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
    list_slurm_inventory_partitions_paginated: {
        parameters: {
            query?: {
                /** @description Records to skip */
                offset?: number;
                /** @description Maximum number of records, clamped to 100 */
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
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlurmPartitionView"][];
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
    create_maintenance_window: {
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
                "application/json": components["schemas"]["CreateWindowBody"];
            };
        };
        responses: {
            /** @description Window id */
            201: {
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
    get_maintenance_window: {
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
                    "application/json": components["schemas"]["WindowView"];
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
            /** @description Window unknown */
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
    update_maintenance_window: {
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
                "application/json": components["schemas"]["UpdateWindowBody"];
            };
        };
        responses: {
            /** @description Window id */
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
            /** @description Window unknown */
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
    delete_maintenance_window: {
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
            /** @description Window id */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
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
            /** @description Window unknown */
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
    create_profile: {
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
                "application/json": components["schemas"]["CreateProfileBody"];
            };
        };
        responses: {
            /** @description An equal body was posted before */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileView"];
                };
            };
            /** @description Created */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ProfileView"];
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
            /** @description Another body under that id */
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
    put_worker_endpoint: {
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
                "application/json": components["schemas"]["PutWorkerEndpointBody"];
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
    delete_artifact: {
        parameters: {
            query?: {
                /** @description Also a golden one, and a parent of others */
                force?: boolean;
            };
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
            /** @description Golden, or needed by another artifact, without force */
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
    promote_artifact: {
        parameters: {
            query?: never;
            header?: {
                /** @description With the same key and body, the first answer is returned again for 24 hours */
                "Idempotency-Key"?: string;
            };
            path: {
                artifact_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["PromoteArtifactBody"];
            };
        };
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
            /** @description Not a hotter tier */
            400: {
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
            /** @description Neither ready nor golden */
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
    restart_profile: {
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
        requestBody?: never;
        responses: {
            /** @description Open request */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointRequestView"];
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
            /** @description Nothing to restore from */
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
    get_profile_checkpoint: {
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
                    "application/json": components["schemas"]["CheckpointRequestView"];
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
    request_profile_checkpoint: {
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
                "application/json": components["schemas"]["RequestCheckpointBody"];
            };
        };
        responses: {
            /** @description Open request */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CheckpointRequestView"];
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
            /** @description Profile does not checkpoint */
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
    list_lifecycle_events: {
        parameters: {
            query?: {
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Only events that occurred then or later */
                since?: string | null;
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
                    "application/json": components["schemas"]["LifecycleEventView"][];
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
    list_observations: {
        parameters: {
            query?: {
                profile_id?: string;
                experiment_id?: string;
                event_type?: string;
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
                    "application/json": components["schemas"]["ObservationListItemView"][];
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
    record_observation: {
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
                "application/json": components["schemas"]["RecordObservationBody"];
            };
        };
        responses: {
            /** @description Recorded now, or before under that key */
            201: {
                headers: {
                    /** @description Unknown members of the body that were ignored, at most 20; missing if there are none */
                    "X-Ignored-Members"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ObservationView"];
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
    list_retention_policies: {
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
                    "application/json": components["schemas"]["RetentionPolicyView"][];
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
    save_retention_policy: {
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
                "application/json": components["schemas"]["RetentionPolicyBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetentionPolicyView"];
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
    preview_retention: {
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
        requestBody?: {
            content: {
                "application/json": components["schemas"]["RetentionPolicyBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RetentionDecisionView"][];
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
    delete_retention_policy: {
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
            /** @description No content */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Retention policy unknown */
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
    list_cost_rates: {
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
                    "application/json": components["schemas"]["CostRateView"][];
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
    upsert_cost_rate: {
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
                "application/json": components["schemas"]["SaveCostRateBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CostRateView"];
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
    create_experiment: {
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
                "application/json": components["schemas"]["CreateExperimentBody"];
            };
        };
        responses: {
            /** @description Experiment started */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentView"];
                };
            };
            /** @description Bad request, or an unknown profile */
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
    get_experiment: {
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
                    "application/json": components["schemas"]["ExperimentView"];
                };
            };
            /** @description Experiment unknown */
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
    complete_experiment: {
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
                "application/json": components["schemas"]["CompleteExperimentBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ExperimentView"];
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
            /** @description Experiment unknown, or not running */
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
    create_inference_key: {
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
                "application/json": components["schemas"]["CreateInferenceKeyBody"];
            };
        };
        responses: {
            /** @description Issued */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["InferenceKeyCreatedView"];
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
    revoke_inference_key: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                key_id: string;
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
            /** @description Key unknown */
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
    save_route: {
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
                "application/json": components["schemas"]["SaveRouteBody"];
            };
        };
        responses: {
            /** @description Saved, with its generation */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouteView"];
                };
            };
            /** @description Bad request, or an unknown profile */
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
    list_route_statuses: {
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
                    "application/json": components["schemas"]["RouteStatusView"][];
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
    authorize_request: {
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
                "application/json": components["schemas"]["AuthorizeBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["AuthorizationView"];
                };
            };
            /** @description Budget used up */
            402: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Model not allowed */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Model unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Another request has this request_id */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Rate exceeded */
            429: {
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
    resolve_request: {
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
                "application/json": components["schemas"]["ResolveBody"];
            };
        };
        responses: {
            /** @description Target */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["ResolutionView"];
                };
            };
            /** @description Its target is being started */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["PendingResolutionView"];
                };
            };
            /** @description Authorization unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Authorization used */
            409: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Authorization expired */
            410: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description No target in time */
            503: {
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
    get_router_config: {
        parameters: {
            query?: never;
            header?: {
                /** @description Quoted generation of the client's snapshot */
                "If-None-Match"?: string;
            };
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
                    "application/json": components["schemas"]["RouterConfigView"];
                };
            };
            /** @description Unchanged, no content */
            304: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
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
    record_router_telemetry: {
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
                "application/json": components["schemas"]["RecordTelemetryBody"];
            };
        };
        responses: {
            /** @description Done, no content */
            200: {
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
    record_router_metrics: {
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
                "application/json": components["schemas"]["RecordSamplesBody"];
            };
        };
        responses: {
            /** @description Done, no content */
            200: {
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
    create_chat_completion: {
        parameters: {
            query?: never;
            header?: {
                /** @description Milliseconds after which the caller gives up; by default it waits as long as its route allows */
                "X-Request-Timeout-Ms"?: number;
                /** @description Experiment of the request; a value that is not a UUID is ignored and named in X-Ignored-Headers */
                "X-Experiment-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description As the worker answers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Bad request, according to this service or the worker */
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
            /** @description The key may not use the model */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description No route serves the model, or no target of its route serves the endpoint */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Refused by the worker */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Rate or budget used up */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description An internal error of this service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The worker answered neither JSON nor a stream of events */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Not served in time; Retry-After says when to retry */
            503: {
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
    create_completion: {
        parameters: {
            query?: never;
            header?: {
                /** @description Milliseconds after which the caller gives up; by default it waits as long as its route allows */
                "X-Request-Timeout-Ms"?: number;
                /** @description Experiment of the request; a value that is not a UUID is ignored and named in X-Ignored-Headers */
                "X-Experiment-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description As the worker answers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Bad request, according to this service or the worker */
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
            /** @description The key may not use the model */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description No route serves the model, or no target of its route serves the endpoint */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Refused by the worker */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Rate or budget used up */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description An internal error of this service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The worker answered neither JSON nor a stream of events */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Not served in time; Retry-After says when to retry */
            503: {
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
                content?: never;
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    create_embedding: {
        parameters: {
            query?: never;
            header?: {
                /** @description Milliseconds after which the caller gives up; by default it waits as long as its route allows */
                "X-Request-Timeout-Ms"?: number;
                /** @description Experiment of the request; a value that is not a UUID is ignored and named in X-Ignored-Headers */
                "X-Experiment-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description As the worker answers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Bad request, according to this service or the worker */
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
            /** @description The key may not use the model */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description No route serves the model, or no target of its route serves the endpoint */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Refused by the worker */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Rate or budget used up */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description An internal error of this service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The worker answered neither JSON nor a stream of events */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Not served in time; Retry-After says when to retry */
            503: {
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
                content?: never;
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    create_response: {
        parameters: {
            query?: never;
            header?: {
                /** @description Milliseconds after which the caller gives up; by default it waits as long as its route allows */
                "X-Request-Timeout-Ms"?: number;
                /** @description Experiment of the request; a value that is not a UUID is ignored and named in X-Ignored-Headers */
                "X-Experiment-Id"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": unknown;
            };
        };
        responses: {
            /** @description As the worker answers */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                };
            };
            /** @description Bad request, according to this service or the worker */
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
            /** @description The key may not use the model */
            403: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description No route serves the model, or no target of its route serves the endpoint */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The body is too large */
            413: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The body is not JSON */
            415: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Refused by the worker */
            422: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Rate or budget used up */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description An internal error of this service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description The worker answered neither JSON nor a stream of events */
            502: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Not served in time; Retry-After says when to retry */
            503: {
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
                content?: never;
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    list_models: {
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
                    "application/json": components["schemas"]["ModelListView"];
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
    get_model: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                model: string;
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
                    "application/json": components["schemas"]["ModelView"];
                };
            };
            /** @description The name is not valid percent-encoded UTF-8 */
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
            /** @description No route serves the model, or the key may not use it */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description An internal error of this service */
            500: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Not served in time; Retry-After says when to retry */
            503: {
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
                content?: never;
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
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
    save_fleet: {
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
                "application/json": components["schemas"]["SaveFleetBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["FleetView"];
                };
            };
            /** @description Bad request, or an unknown profile */
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
    get_fleet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                fleet_id: string;
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
                    "application/json": components["schemas"]["FleetView"];
                };
            };
            /** @description Fleet unknown */
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
    delete_fleet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                fleet_id: string;
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
            /** @description Fleet unknown */
            404: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description One of its profiles is a target of a route */
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
    get_analytics: {
        parameters: {
            query?: {
                /** @description Length of the window up to now, clamped to 2160 */
                hours?: number;
                /** @description Only requests that this profile served, and its workers and artifacts */
                profile_id?: string;
                /** @description Only requests of this experiment, and workers and artifacts of its time */
                experiment_id?: string;
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
                    "application/json": components["schemas"]["AnalyticsView"];
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
    list_usage_series: {
        parameters: {
            query?: {
                /** @description Length of the window up to now, clamped to 2160 */
                hours?: number;
                /** @description Only requests that this profile served, and its workers and artifacts */
                profile_id?: string;
                /** @description Only requests of this experiment, and workers and artifacts of its time */
                experiment_id?: string;
                /** @description Length of a bucket, 1h by default; a window holds at most 2000 of another length */
                bucket?: "1m" | "5m" | "15m" | "1h" | "6h" | "1d";
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
                    "application/json": components["schemas"]["UsageBucketView"][];
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
    list_startup_comparisons: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
                /** @description Only of this profile */
                profile_id?: string;
                /** @description Only workers that became ready while this experiment ran, and of its profile if it has one */
                experiment_id?: string;
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
                    "application/json": components["schemas"]["StartupComparisonView"][];
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
    get_storage_summary: {
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StorageSummaryView"];
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
    get_correlation: {
        parameters: {
            query: {
                experiment_id: string;
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
                    "application/json": components["schemas"]["CorrelationView"];
                };
            };
            /** @description Experiment unknown */
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
    list_cost_breakdown: {
        parameters: {
            query?: {
                /** @description Length of the window up to now, clamped to 2160 */
                hours?: number;
                /** @description Only requests that this profile served, and its workers and artifacts */
                profile_id?: string;
                /** @description Only requests of this experiment, and workers and artifacts of its time */
                experiment_id?: string;
                /** @description Maximal rows, clamped to 1000 */
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["CostBreakdownRowView"][];
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
    get_daily_costs: {
        parameters: {
            query?: {
                /** @description Number of days, today included, clamped to 31 */
                days?: number;
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["DailyCostsView"];
                };
            };
            /** @description The days were not computed in time: ask for fewer */
            503: {
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
    get_cost_report: {
        parameters: {
            query?: {
                /** @description Length of the window up to now, clamped to 2160 */
                hours?: number;
                /** @description Only requests that this profile served, and its workers and artifacts */
                profile_id?: string;
                /** @description Only requests of this experiment, and workers and artifacts of its time */
                experiment_id?: string;
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
                    "application/json": components["schemas"]["CostReportView"];
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
    simulate_route: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["SimulateRouteBody"];
            };
        };
        responses: {
            /** @description Success */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["RouteSimulationView"];
                };
            };
            /** @description Model unknown */
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
    write_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-protobuf": string;
            };
        };
        responses: {
            /**
             * @description Stored
             *
             *     No content
             */
            204: {
                headers: {
                    /** @description Samples stored; version 2.0 */
                    "X-Prometheus-Remote-Write-Samples-Written"?: number;
                    /** @description Histograms stored; version 2.0 */
                    "X-Prometheus-Remote-Write-Histograms-Written"?: number;
                    /** @description Exemplars stored; version 2.0 */
                    "X-Prometheus-Remote-Write-Exemplars-Written"?: number;
                    [name: string]: unknown;
                };
                content?: never;
            };
            /** @description Some samples refused, the others stored; not to be retried */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Too fast; the service itself answers 503 instead */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                };
            };
            /** @description Too many samples are in progress, or temporarily unavailable; to be retried */
            503: {
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
    export_otlp_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/x-protobuf": unknown;
                "application/json": unknown;
            };
        };
        responses: {
            /** @description Stored; the reply has the format of the request */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": unknown;
                    "application/x-protobuf": unknown;
                };
            };
            /** @description Refused; not to be retried */
            400: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                    "application/x-protobuf": string;
                    "application/json": {
                        code?: number;
                        message?: string;
                    };
                };
            };
            /** @description Too fast; the service itself answers 503 instead */
            429: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                    "application/x-protobuf": string;
                    "application/json": {
                        code?: number;
                        message?: string;
                    };
                };
            };
            /** @description Too many samples are in progress, or temporarily unavailable; to be retried */
            503: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                    "application/x-protobuf": string;
                    "application/json": {
                        code?: number;
                        message?: string;
                    };
                };
            };
            /** @description Client error */
            "4XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                    "application/x-protobuf": string;
                    "application/json": {
                        code?: number;
                        message?: string;
                    };
                };
            };
            /** @description Server error */
            "5XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["ProblemView"];
                    "application/x-protobuf": string;
                    "application/json": {
                        code?: number;
                        message?: string;
                    };
                };
            };
        };
    };
    list_checkpoint_savings: {
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
                    "application/json": components["schemas"]["CheckpointSavingsView"][];
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
    get_checkpoint_savings_summary: {
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
                    "application/json": components["schemas"]["CheckpointSavingsSummaryView"];
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
    estimate_checkpoint_savings: {
        parameters: {
            query: {
                /** @description US dollars per hour */
                hourly_rate: number;
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
                    "application/json": components["schemas"]["CostSavingsEstimateView"];
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
    get_operations_summary: {
        parameters: {
            query?: {
                /** @description Window in seconds */
                time?: number;
                workload?: "kubernetes" | "slurm";
                operation?: "checkpoint" | "restore";
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
                    "application/json": components["schemas"]["OperationsSummaryView"];
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
    export_metrics: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Prometheus text exposition, version 0.0.4 */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
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
    get_gpu_timeseries: {
        parameters: {
            query: {
                gpu_uuid: string;
                /** @description Window length */
                minutes?: number;
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
                    "application/json": components["schemas"]["GpuTimeseriesView"];
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
    get_gpu_heatmap: {
        parameters: {
            query?: {
                /** @description Rows are the GPUs of this node instead of nodes */
                node_name?: string;
                /** @description Rows are the GPUs that were reported without a node; not together with node_name */
                without_node?: boolean;
                /** @description mean: over the samples of a bin, and over the GPUs of a node; max: the largest of them */
                measure?: "mean" | "max";
                /** @description Length of a window without `from` */
                hours?: number;
                /** @description Beginning of the first bin */
                from?: string;
                /** @description End of the last bin; by default the end of the current bin */
                until?: string;
                /** @description Equal parts of the window */
                bins?: number;
                /** @description Maximal rows */
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["GpuHeatmapView"];
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
    list_top_cpu_pods: {
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
    list_checkpoint_cpu: {
        parameters: {
            query?: {
                /** @description Maximum number of rows, clamped to 1000 */
                limit?: number;
                /** @description Rows to skip */
                offset?: number;
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
                    "application/json": components["schemas"]["CheckpointCpuView"][];
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
    list_slurm_metrics: {
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlurmMetricView"][];
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
    get_slurm_overview: {
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlurmOverviewView"];
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
    get_slurm_overview_state: {
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlurmStatesView"];
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
    list_slurm_partitions: {
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlurmPartitionFiguresView"][];
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
    list_slurm_partition_nodes: {
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlurmPartitionNodesView"][];
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
    get_slurm_partition_timeseries: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
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
                    "application/json": components["schemas"]["SlurmPartitionHistoryView"];
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
    list_slurm_cpu_load: {
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["TimeseriesPointView"][];
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
    get_slurm_memory_timeseries: {
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
                    /** @description Present if a read replica gave the answer: everything up to so many milliseconds before it began to be read is in it. `Cache-Control: no-cache` in the request reads the primary */
                    "X-Data-Lag-Ms"?: number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["SlurmMemoryHistoryView"];
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
