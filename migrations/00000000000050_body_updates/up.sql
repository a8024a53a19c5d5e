-- Responses are no longer cached by the row versions of their messages, so nothing relies on immutable bodies.
DROP TRIGGER bodies_never_change ON message_bodies;
DROP FUNCTION refuse_to_change_bodies();
