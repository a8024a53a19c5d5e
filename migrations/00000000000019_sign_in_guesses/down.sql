DROP INDEX sign_in_codes_over;
CREATE INDEX sign_in_codes_asked ON sign_in_codes (asked_since);
ALTER TABLE sign_in_codes DROP COLUMN guesses_until;
ALTER TABLE sign_in_codes DROP COLUMN asked_at;
