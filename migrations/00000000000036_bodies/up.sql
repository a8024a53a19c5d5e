-- Bodies are written with their message and go with it, and never change in between. Whoever remembers what a message says
-- relies on that: they ask whether the row of the message has changed, and not whether its bodies have.
CREATE FUNCTION refuse_to_change_bodies() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'bodies of messages never change'
        USING HINT = 'Change the row of the message as well, after dropping this trigger: answers are remembered by it.';
END $$;
CREATE TRIGGER bodies_never_change BEFORE UPDATE ON message_bodies
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_to_change_bodies();
