-- Bodies are inserted and deleted with their message and never change in between. Caches of messages rely on that: they
-- compare the version of the message row, not of its bodies.
CREATE FUNCTION refuse_to_change_bodies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'bodies of messages never change'
        USING HINT = 'Change the row of the message as well, after dropping this trigger: answers are remembered by it.';
END $$;
CREATE TRIGGER bodies_never_change BEFORE UPDATE ON message_bodies
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_bodies();
