-- The service's role is no superuser: a superuser passes by the row level security between organisations.
create role control_plane login password 'control_plane';
create database control_plane owner control_plane;
