DROP TABLE suppressions, captured, outgoing, send_counts, inbox_usage, events, thread_labels, threads, message_bodies,
    message_labels, messages, inboxes, api_keys, verification_codes, pods, organizations, api_key_hashes, addresses,
    owner_emails;
