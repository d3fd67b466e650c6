import { Button, Menu } from '@mantine/core';
import { session } from '../session/session';
import type { Who } from '../session/who';
import { LeaveIcon } from '../parts/icons';

/** Who is signed in, with which role. */
export function Account({ who }: { who: Who | undefined }) {
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <Button size="xs" variant="default" aria-label={`Account: ${who ? `${who.name}, ${who.role}` : 'loading'}`}>
          {who?.role ?? '…'}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>
          {who?.name} · {who?.role}
          {who?.scope === 'platform' && ' of the platform'}
        </Menu.Label>
        <Menu.Item leftSection={<LeaveIcon />} onClick={() => session.end('signed out')}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
