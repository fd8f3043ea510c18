"""The database: tables, opening and migrating, writing runs, reading them back."""
