DROP TRIGGER bodies_never_change ON message_bodies;
DROP FUNCTION refuse_to_change_bodies();
