-- Codes and wrong codes are counted, so that nobody can be locked out of signing in, and codes cannot be guessed.

-- asked_at: time of the last code; NULL for rows from before this column, which use asked_since.
-- guesses_until: time at which the last wrong code for the address stops counting, for any code.
ALTER TABLE sign_in_codes ADD COLUMN asked_at timestamptz;
ALTER TABLE sign_in_codes ADD COLUMN guesses_until timestamptz;

-- Rows that can be purged.
DROP INDEX sign_in_codes_asked;
CREATE INDEX sign_in_codes_over ON sign_in_codes (greatest(expires_at, guesses_until));
