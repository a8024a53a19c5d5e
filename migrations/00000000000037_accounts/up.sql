-- Removal of unconfirmed organizations, and limits on mail to strangers.

-- removed_at: from then on, no key, sign-in or mail has access to the organization; its rows are purged in batches.
ALTER TABLE organizations ADD COLUMN removed_at timestamptz;

CREATE INDEX organizations_unconfirmed ON organizations (created_at) WHERE verified_at IS NULL AND removed_at IS NULL;
CREATE INDEX organizations_removed ON organizations (removed_at) WHERE removed_at IS NOT NULL;
-- Directory rows of a removed organization.
CREATE INDEX api_key_hashes_organization ON api_key_hashes (organization_id);
CREATE INDEX owner_emails_organization ON owner_emails (organization_id);
CREATE INDEX member_emails_organization ON member_emails (organization_id);

-- Network of the client that signed up; the mail with the code names it.
ALTER TABLE verification_codes ADD COLUMN sign_up_network text COLLATE "C";

-- A directory of the recent system mail to a mailbox, or by an organization. Each mail counts for an hour and for a day
-- divided by their limits, one after another: hour_until and day_until are the ends of the last ones.
CREATE TABLE mail_quotas (
    subject    text COLLATE "C" NOT NULL,
    hour_until timestamptz      NOT NULL,
    day_until  timestamptz      NOT NULL,
    CONSTRAINT mail_quotas_pkey PRIMARY KEY (subject)
);

CREATE INDEX mail_quotas_over ON mail_quotas (day_until);
