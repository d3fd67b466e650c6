import { AppShell, Burger, Button, NavLink } from '@mantine/core';
import { useDisclosure, useHotkeys } from '@mantine/hooks';
import { Link, Outlet, useRouterState } from '@tanstack/react-router';
import { useEffect } from 'react';
import { SearchIcon, Wordmark } from '../parts/icons';
import { session } from '../session/session';
import type { Who } from '../session/who';
import { Account } from './account';
import { LiveControl } from './live-control';
import { NAVIGATION } from './navigation';
import { Palette } from './palette';
import styles from './shell.module.css';
import { ThemeSwitch } from './theme-switch';

/** What surrounds every page. @param who undefined until the service has answered */
export function Shell({ who }: { who: Who | undefined }) {
  const [isOpen, { toggle, close }] = useDisclosure(false);
  const [isSearching, search] = useDisclosure(false);
  const path = useRouterState({ select: ({ location }) => location.pathname });
  useEffect(() => close(), [path, close]);
  // Not below the question who signs in.
  useHotkeys([['mod+K', () => session.current.token !== undefined && search.open()]], []);
  return (
    <AppShell
      header={{ height: 52 }}
      navbar={{ width: 200, breakpoint: 'sm', collapsed: { mobile: !isOpen } }}
      padding={0}
      withBorder={false}
    >
      <a className={styles.skip} href="#content">
        Skip to the content
      </a>
      <AppShell.Header className={styles.header}>
        <Burger opened={isOpen} onClick={toggle} hiddenFrom="sm" size="sm" aria-label="Navigation" />
        <Link to="/" className={styles.brand}>
          <Wordmark />
        </Link>
        <div className={styles.tools}>
          <Button
            className={styles.find}
            variant="default"
            size="xs"
            leftSection={<SearchIcon />}
            onClick={search.open}
            aria-keyshortcuts="Control+K Meta+K"
          >
            <span className={styles.findText}>Find</span>
            <kbd className={styles.key} aria-hidden="true">
              Ctrl K
            </kbd>
          </Button>
          <LiveControl />
          <ThemeSwitch />
          <Account who={who} />
        </div>
      </AppShell.Header>
      <AppShell.Navbar className={styles.navbar} aria-label="Pages">
        {NAVIGATION.map(({ to, label }) => (
          <NavLink
            key={to}
            component={Link}
            to={to}
            label={label}
            active={to === '/' ? path === '/' : path.startsWith(to)}
            aria-current={(to === '/' ? path === '/' : path.startsWith(to)) ? 'page' : undefined}
          />
        ))}
        <div className={styles.below}>
          <a href="/docs">API description</a>
        </div>
      </AppShell.Navbar>
      <AppShell.Main id="content" className={styles.main} tabIndex={-1}>
        <Outlet />
      </AppShell.Main>
      <Palette isOpen={isSearching} close={search.close} />
    </AppShell>
  );
}
