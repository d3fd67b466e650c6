import { useRouter } from '@tanstack/react-router';

/** To the policy, where the console has a page of policies. */
export function PolicyLink({ id, name }: { id: string; name: string }) {
  const router = useRouter();
  if (!('/policies' in router.routesByPath)) return <span>{name}</span>;
  return <a href={`${router.basepath}/policies?open=${id}`}>{name}</a>;
}
