import '@mantine/core/styles.css';
import './theme/theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Console } from './console';
import { session } from './session/session';

session.takeFromAddress();
// A link may also change the address of a console that is open.
window.addEventListener('hashchange', () => session.takeFromAddress());

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  );
