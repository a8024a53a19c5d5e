-- Statements with a known verdict of scripts/distribution-report, run by scripts/test-distribution.
SET plan_cache_mode = force_generic_plan;
\set organization '''00000000-0000-0000-0000-000000000001''::uuid'
-- The program creates the partitions, and a plan of a table without any names none.
CREATE TABLE events_first PARTITION OF events FOR VALUES FROM (MINVALUE) TO (MAXVALUE);

-- No condition on the organization at all.
SELECT /* planted bad */ subject FROM messages WHERE inbox_id = 'a';
UPDATE /* planted bad */ messages SET subject = 'b' WHERE inbox_id = 'a';
DELETE /* planted bad */ FROM threads WHERE inbox_id = 'a';
SELECT /* planted bad */ body FROM events WHERE event_id = :organization;
-- One of two tables.
SELECT /* planted bad */ m.subject FROM messages m JOIN threads t ON t.thread_id = m.thread_id
    WHERE m.organization_id = :organization;
SELECT /* planted bad */ i.inbox_id FROM inboxes i WHERE i.organization_id = :organization
    AND EXISTS (SELECT FROM messages m WHERE m.inbox_id = i.inbox_id);
-- Two tables that belong together, of all organizations.
SELECT /* planted bad */ m.subject FROM messages m JOIN threads t USING (organization_id, inbox_id, thread_id);
-- The other branch of an OR, another comparison, and the preserved side of an outer join.
SELECT /* planted bad */ subject FROM messages WHERE organization_id = :organization OR inbox_id = 'a';
SELECT /* planted bad */ subject FROM messages WHERE organization_id > :organization;
SELECT /* planted bad */ i.inbox_id FROM inboxes i LEFT JOIN pods p
    ON p.organization_id = i.organization_id AND i.organization_id = :organization;
-- A row that is named by its address.
UPDATE /* planted bad */ messages SET subject = 'b' WHERE ctid = ANY(ARRAY(
    SELECT ctid FROM messages WHERE organization_id = :organization AND inbox_id = 'a'));

SELECT /* planted good */ subject FROM messages WHERE organization_id = :organization AND inbox_id = 'a (';
UPDATE /* planted good */ messages SET subject = 'b' WHERE organization_id = :organization;
DELETE /* planted good */ FROM threads WHERE organization_id = ANY(ARRAY[:organization, :organization]);
SELECT /* planted good */ body FROM events WHERE organization_id = :organization AND event_id = :organization;
SELECT /* planted good */ m.subject FROM messages m JOIN threads t USING (organization_id, inbox_id, thread_id)
    WHERE t.organization_id = :organization;
SELECT /* planted good */ i.inbox_id FROM inboxes i WHERE i.organization_id = :organization AND EXISTS (
    SELECT FROM messages m WHERE m.organization_id = i.organization_id AND m.inbox_id = i.inbox_id);
SELECT /* planted good */ subject FROM messages
    WHERE organization_id = :organization AND inbox_id = 'a' OR organization_id = :organization AND inbox_id = 'b';
SELECT /* planted good */ i.inbox_id FROM inboxes i LEFT JOIN pods p ON p.organization_id = i.organization_id
    WHERE i.organization_id = :organization;
-- The organization comes from a directory, and from a row of the statement.
SELECT /* planted good */ o.plan FROM api_key_hashes h JOIN organizations o USING (organization_id) WHERE h.hash = 'a';
WITH given AS MATERIALIZED (SELECT :organization AS organization_id, unnest(ARRAY['a', 'b']) AS inbox_id)
    SELECT /* planted good */ i.display_name FROM given g
    JOIN inboxes i ON i.organization_id = g.organization_id AND i.inbox_id = g.inbox_id;
-- A partition, which has a name of its own in the plan.
SET enable_indexscan = off; SET enable_bitmapscan = off;
WITH given AS MATERIALIZED (SELECT :organization AS organization_id, 'a' AS message_id)
    UPDATE /* planted good */ events e SET body = '{}' FROM given g
    WHERE e.organization_id = g.organization_id AND e.message_id = g.message_id;
WITH given AS MATERIALIZED (SELECT 'a' AS message_id)
    UPDATE /* planted bad */ events e SET body = '{}' FROM given g WHERE e.message_id = g.message_id;
