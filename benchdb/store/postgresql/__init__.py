"""What is PostgreSQL's alone: servers, roles, and sites that report together."""
