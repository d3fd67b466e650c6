-- Adds what a statement changed to the numbers of pods in pod_counts, in its transaction. It waits for no
-- other writer of pods: a row that another transaction is changing stays as it is, and a further row of the
-- group is written. The rows of a group add up to its number. Who finds several free makes them one. The
-- first row of a group waits for the deletion of its cluster, as pods do; whoever writes pods has shut that
-- out (`closeCluster`).
create or replace function count_pods() returns trigger
language plpgsql as $$
declare
  org_ids uuid[];
  cluster_ids uuid[];
  namespaces text[];
  phases text[];
  more bigint[];
begin
  if tg_op = 'INSERT' then
    select array_agg(c.org_id), array_agg(c.cluster_id), array_agg(c.namespace), array_agg(c.phase),
      array_agg(c.pods)
    into org_ids, cluster_ids, namespaces, phases, more
    from (
      select org_id, cluster_id, namespace, phase, count(*) as pods from added
      where not deleted group by org_id, cluster_id, namespace, phase
    ) c;
  elsif tg_op = 'DELETE' then
    -- Not with their cluster, whose numbers go too.
    select array_agg(c.org_id), array_agg(c.cluster_id), array_agg(c.namespace), array_agg(c.phase),
      array_agg(-c.pods)
    into org_ids, cluster_ids, namespaces, phases, more
    from (
      select org_id, cluster_id, namespace, phase, count(*) as pods from removed
      where not deleted group by org_id, cluster_id, namespace, phase
    ) c
    where exists (select from clusters k where k.org_id = c.org_id and k.id = c.cluster_id);
  else
    select array_agg(c.org_id), array_agg(c.cluster_id), array_agg(c.namespace), array_agg(c.phase),
      array_agg(c.pods)
    into org_ids, cluster_ids, namespaces, phases, more
    from (
      select p.org_id, p.cluster_id, p.namespace, p.phase, sum(p.one) as pods
      from (
        select org_id, cluster_id, namespace, phase, 1 as one from added where not deleted
        union all select org_id, cluster_id, namespace, phase, -1 from removed where not deleted
      ) p
      group by p.org_id, p.cluster_id, p.namespace, p.phase having sum(p.one) <> 0
    ) c;
  end if;
  if org_ids is null then
    return null;
  end if;

  with changed as (
    select * from unnest(org_ids, cluster_ids, namespaces, phases, more)
      as c(org_id, cluster_id, namespace, phase, pods)
  ), free as materialized (
    -- As they are now, and not as they were when the statement began.
    select s.* from changed c cross join lateral (
      select * from pod_counts s
      where s.org_id = c.org_id and s.cluster_id = c.cluster_id and s.namespace = c.namespace
        and s.phase = c.phase
      for update skip locked
    ) s
  ), counted as materialized (
    select c.org_id, c.cluster_id, c.namespace, c.phase, (array_agg(f.id))[1] as id,
      c.pods + coalesce(sum(f.pods), 0) as pods
    from changed c
    left join free f on f.org_id = c.org_id and f.cluster_id = c.cluster_id
      and f.namespace = c.namespace and f.phase = c.phase
    group by c.org_id, c.cluster_id, c.namespace, c.phase, c.pods
  ), kept as (
    update pod_counts s set pods = c.pods from counted c
    where s.org_id = c.org_id and s.cluster_id = c.cluster_id and s.namespace = c.namespace
      and s.phase = c.phase and s.id = c.id and c.pods <> 0
  ), gone as (
    delete from pod_counts s using free f
    where s.org_id = f.org_id and s.cluster_id = f.cluster_id and s.namespace = f.namespace
      and s.phase = f.phase and s.id = f.id
      and not exists (
        select from counted c
        where c.org_id = f.org_id and c.cluster_id = f.cluster_id and c.namespace = f.namespace
          and c.phase = f.phase and c.id = f.id and c.pods <> 0
      )
  )
  insert into pod_counts (org_id, cluster_id, namespace, phase, id, pods)
  select org_id, cluster_id, namespace, phase, gen_random_uuid(), pods from counted
  where id is null and pods <> 0;
  return null;
end $$;
