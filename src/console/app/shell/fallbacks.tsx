import { Button } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { Page } from '../parts/page';
import { Problem } from '../parts/states';

export const NoSuchPage = () => (
  <Page title="No such page">
    <p>The console has no page at this address.</p>
    <Link to="/">Go to the overview</Link>
  </Page>
);

/** A fault of the console itself, or a chunk of an older version that the service no longer has. */
export const PageFailed = ({ error }: { error: unknown }) => (
  <Page title="This page failed">
    <Problem error={error} />
    <Button mt="md" variant="default" onClick={() => window.location.reload()}>
      Load the console again
    </Button>
  </Page>
);
