import { Link } from '@tanstack/react-router';

/** To the policy, which its page opens. */
export const PolicyLink = ({ id, name }: { id: string; name: string }) => (
  <Link to="/policies" search={{ open: id }}>
    {name}
  </Link>
);
