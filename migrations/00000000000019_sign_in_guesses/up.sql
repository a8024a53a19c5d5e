-- Codes and wrong codes are counted so that nobody is locked out of signing in, and nobody guesses their way in.

-- asked_at: when the last code was made. NULL: it is of before there was this column; asked_since will do.
-- guesses_until: when the last wrong code for the address stops to count, whichever code it was tried against.
ALTER TABLE sign_in_codes ADD COLUMN asked_at timestamptz;
ALTER TABLE sign_in_codes ADD COLUMN guesses_until timestamptz;

-- What can be forgotten.
DROP INDEX sign_in_codes_asked;
CREATE INDEX sign_in_codes_over ON sign_in_codes (greatest(expires_at, guesses_until));
