#!/bin/sh
# The service's role is no superuser: a superuser passes by the row level security between organisations.
set -eu
psql --username postgres --set ON_ERROR_STOP=1 --set "password=$CONTROL_PLANE_PASSWORD" <<'SQL'
create role control_plane login password :'password';
create database control_plane owner control_plane;
SQL
