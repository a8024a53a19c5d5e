-- Partitions go with their tables, and triggers, indexes and sequences too.
DROP TABLE
    mail_reports, operator_mail, smtp_refusals, blob_sweeps, blob_removals, blobs, file_contents, files,
    calendar_settings, calendar_events, captured, delivery_attempts, return_paths, outgoing, contacts, suppressions,
    list_entries, policy_counts, sending_policies, send_counts, send_keys, draft_attachments, drafts, polling_webhooks,
    webhook_replays, webhook_attempts, webhook_deliveries, webhooks, feed_pending, feed_heads, feed, events,
    search_unlisted, search_blocks, search_documents, search_segments, search_pending, notes, thread_labels, threads,
    received_codes, first_reads, label_history, message_bodies, message_labels, messages, usage_samples, inbox_usage,
    legal_holds, inboxes, addresses, dkim_keys, domains, proven_domains, payment_events, subscriptions,
    billing_customers, oauth_refresh_tokens, oauth_codes, oauth_grants, oauth_clients, browser_sessions, sign_in_codes,
    member_emails, members, api_keys, api_key_hashes, audit_log, mail_quotas, creation_counts, client_ids, pods,
    sign_up_invitations, verification_codes, owner_emails, organizations, sts_policies, acme_challenges,
    acme_certificates, acme_accounts, processes, service_state;
DROP FUNCTION release_blob(), refuse_audit_change();
