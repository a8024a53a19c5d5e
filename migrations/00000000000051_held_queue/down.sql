DROP INDEX outgoing_held;
