import '@mantine/core/styles.css';
import './theme/theme.css';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Console } from './console';
import { session } from './session/session';

session.takeFromAddress();

const root = document.getElementById('root');
if (root)
  createRoot(root).render(
    <StrictMode>
      <Console />
    </StrictMode>,
  );
