//! Tables as diesel declares them.
//!
//! The declarations are written by hand; a test compares them with the database.

diesel::table! {
    acme_accounts (directory) {
        directory -> Text,
        credentials -> Binary,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    acme_certificates (directory, names) {
        directory -> Text,
        names -> Text,
        chain -> Nullable<Text>,
        private_key -> Nullable<Binary>,
        valid_from -> Nullable<Timestamptz>,
        valid_until -> Nullable<Timestamptz>,
        renew_at -> Nullable<Timestamptz>,
        check_at -> Nullable<Timestamptz>,
        failures -> Integer,
        failure -> Nullable<Text>,
        retry_at -> Nullable<Timestamptz>,
        claimed_by -> Nullable<Uuid>,
        claimed_until -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    acme_challenges (token) {
        token -> Text,
        name -> Text,
        key_authorization -> Text,
        expires_at -> Timestamptz,
    }
}

diesel::table! {
    addresses (address) {
        address -> Text,
        organization_id -> Uuid,
        pod_id -> Uuid,
        inbox_id -> Text,
        deleted_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    api_key_hashes (hash) {
        hash -> Binary,
        organization_id -> Uuid,
        api_key_id -> Uuid,
    }
}

diesel::table! {
    api_keys (organization_id, api_key_id) {
        organization_id -> Uuid,
        api_key_id -> Uuid,
        prefix -> Text,
        name -> Text,
        pod_id -> Nullable<Uuid>,
        inbox_id -> Nullable<Text>,
        permissions -> Nullable<Jsonb>,
        expires_at -> Nullable<Timestamptz>,
        used_at -> Nullable<Timestamptz>,
        revoked_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        member_id -> Nullable<Uuid>,
        connection_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    audit_log (organization_id, created_at, entry_id) {
        organization_id -> Uuid,
        created_at -> Timestamptz,
        entry_id -> Uuid,
        action -> Text,
        resource_type -> Text,
        resource_id -> Text,
        actor_id -> Text,
        actor -> Jsonb,
        client_address -> Nullable<Text>,
        before -> Nullable<Jsonb>,
        after -> Nullable<Jsonb>,
    }
}

diesel::table! {
    billing_customers (organization_id) {
        organization_id -> Uuid,
        customer_id -> Text,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    browser_sessions (token_hash) {
        token_hash -> Binary,
        email -> Text,
        created_at -> Timestamptz,
        used_at -> Timestamptz,
        expires_at -> Timestamptz,
    }
}

diesel::table! {
    captured (captured_id) {
        captured_id -> BigInt,
        envelope_from -> Text,
        recipients -> Array<Text>,
        sealed -> Binary,
        captured_at -> Timestamptz,
        organization_id -> Nullable<Uuid>,
        inbox_id -> Nullable<Text>,
        message_id -> Nullable<Text>,
    }
}

diesel::table! {
    calendar_events (organization_id, inbox_id, event_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        event_id -> Text,
        series_id -> Uuid,
        uid -> Text,
        original_start -> Text,
        origin_message_id -> Text,
        content -> Jsonb,
        starts_at -> Timestamptz,
        ends_at -> Timestamptz,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        client_key -> Nullable<Text>,
        next_moment_at -> Nullable<Timestamptz>,
        moment_retry_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    calendar_settings (organization_id, inbox_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        timezone -> Text,
        revision -> BigInt,
        updated_at -> Timestamptz,
        feed_digest -> Nullable<Binary>,
    }
}

diesel::table! {
    contacts (organization_id, inbox_id, address) {
        organization_id -> Uuid,
        inbox_id -> Text,
        address -> Text,
        name -> Nullable<Text>,
        decision -> Nullable<Text>,
        received_count -> BigInt,
        authenticated_count -> BigInt,
        sent_count -> BigInt,
        received_at -> Nullable<Timestamptz>,
        sent_at -> Nullable<Timestamptz>,
        first_sent_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    creation_counts (organization_id, day) {
        organization_id -> Uuid,
        day -> Date,
        count -> BigInt,
    }
}

diesel::table! {
    delivery_attempts (organization_id, inbox_id, attempted_at, attempt_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        attempted_at -> Timestamptz,
        attempt_id -> Uuid,
        pod_id -> Uuid,
        thread_id -> Uuid,
        message_id -> Text,
        attempt -> Integer,
        results -> Jsonb,
        next_attempt_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    dkim_keys (organization_id, name, selector) {
        organization_id -> Uuid,
        name -> Text,
        selector -> Text,
        sealed_key -> Binary,
        public_key -> Text,
        state -> Text,
        changed_at -> Timestamptz,
    }
}

diesel::table! {
    domains (organization_id, domain_id) {
        organization_id -> Uuid,
        domain_id -> Uuid,
        pod_id -> Nullable<Uuid>,
        client_id -> Nullable<Text>,
        name -> Text,
        status -> Text,
        feedback_enabled -> Bool,
        subdomains_enabled -> Bool,
        records -> Jsonb,
        dkim_key -> Nullable<Binary>,
        verified_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        deleted_at -> Nullable<Timestamptz>,
        inbound_enabled -> Bool,
        catch_all_inbox_id -> Nullable<Text>,
    }
}

diesel::table! {
    files (organization_id, file_id) {
        organization_id -> Uuid,
        file_id -> Uuid,
        inbox_id -> Text,
        path -> Text,
        content_type -> Text,
        size -> BigInt,
        sha256 -> Binary,
        is_ready -> Bool,
        created_by -> Text,
        expires_at -> Nullable<Timestamptz>,
        ends_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    blobs (organization_id, blob_id) {
        organization_id -> Uuid,
        blob_id -> Uuid,
        name -> Text,
        store -> Text,
        bytes -> BigInt,
        sha256 -> Binary,
        stored_at -> Timestamptz,
    }
}

diesel::table! {
    blob_removals (organization_id, blob_id) {
        organization_id -> Uuid,
        blob_id -> Uuid,
        name -> Text,
        store -> Text,
        bytes -> BigInt,
        sha256 -> Binary,
        stored_at -> Timestamptz,
        removed_at -> Timestamptz,
    }
}

diesel::table! {
    blob_sweeps (store) {
        store -> Text,
        after -> Nullable<Text>,
        due_at -> Timestamptz,
    }
}

diesel::table! {
    file_contents (organization_id, file_id) {
        organization_id -> Uuid,
        file_id -> Uuid,
        content -> Nullable<Binary>,
        blob_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    draft_attachments (organization_id, draft_id, attachment_id) {
        organization_id -> Uuid,
        draft_id -> Uuid,
        attachment_id -> Uuid,
        content -> Nullable<Binary>,
        blob_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    client_ids (organization_id, kind, client_id) {
        organization_id -> Uuid,
        kind -> Text,
        client_id -> Text,
        made -> Text,
    }
}

diesel::table! {
    drafts (organization_id, draft_id) {
        organization_id -> Uuid,
        draft_id -> Uuid,
        pod_id -> Uuid,
        inbox_id -> Text,
        client_id -> Nullable<Text>,
        in_reply_to -> Nullable<Text>,
        thread_id -> Nullable<Uuid>,
        references_ -> Array<Text>,
        forward_of -> Nullable<Text>,
        labels -> Array<Text>,
        to_ -> Array<Text>,
        cc -> Array<Text>,
        bcc -> Array<Text>,
        reply_to -> Array<Text>,
        subject -> Nullable<Text>,
        preview -> Nullable<Text>,
        text -> Nullable<Text>,
        html -> Nullable<Text>,
        attachments -> Jsonb,
        send_at -> Nullable<Timestamptz>,
        has_failed -> Bool,
        claimed_until -> Nullable<Timestamptz>,
        revision -> BigInt,
        due_at -> Nullable<Timestamptz>,
        created_by -> Jsonb,
        updated_by -> Jsonb,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        size -> BigInt,
        delayed -> Nullable<Jsonb>,
        approval -> Nullable<Jsonb>,
        approval_expires_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    events (organization_id, created_at, event_id) {
        organization_id -> Uuid,
        created_at -> Timestamptz,
        event_id -> Uuid,
        event_type -> Text,
        pod_id -> Nullable<Uuid>,
        inbox_id -> Nullable<Text>,
        thread_id -> Nullable<Uuid>,
        message_id -> Nullable<Text>,
        body -> Jsonb,
        traceparent -> Nullable<Text>,
    }
}

diesel::table! {
    feed (organization_id, sequenced_at, position) {
        organization_id -> Uuid,
        sequenced_at -> Timestamptz,
        position -> BigInt,
        event_id -> Uuid,
        created_at -> Timestamptz,
        event_type -> Text,
        pod_id -> Nullable<Uuid>,
        inbox_id -> Nullable<Text>,
        verdict -> Nullable<Text>,
    }
}

diesel::table! {
    feed_heads (organization_id) {
        organization_id -> Uuid,
        sequenced_at -> Timestamptz,
        position -> BigInt,
    }
}

diesel::table! {
    feed_pending (organization_id, event_id) {
        organization_id -> Uuid,
        event_id -> Uuid,
        created_at -> Timestamptz,
        event_type -> Text,
        pod_id -> Nullable<Uuid>,
        inbox_id -> Nullable<Text>,
        verdict -> Nullable<Text>,
    }
}

diesel::table! {
    first_reads (organization_id, inbox_id, message_id, reader_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        message_id -> Text,
        reader_id -> Text,
        read_at -> Timestamptz,
        read_id -> Uuid,
        reader -> Jsonb,
        part -> Text,
    }
}

diesel::table! {
    inbox_usage (organization_id, inbox_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        storage_bytes -> BigInt,
        messages -> BigInt,
        threads -> BigInt,
    }
}

diesel::table! {
    inboxes (organization_id, inbox_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        pod_id -> Uuid,
        display_name -> Nullable<Text>,
        client_id -> Nullable<Text>,
        metadata -> Jsonb,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        deleted_at -> Nullable<Timestamptz>,
        purged_at -> Nullable<Timestamptz>,
        paused_at -> Nullable<Timestamptz>,
        retention_days -> Nullable<Integer>,
        retention_due_at -> Timestamptz,
        quarantine -> Nullable<Text>,
    }
}

diesel::table! {
    label_history (organization_id, inbox_id, event_at, event_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        event_at -> Timestamptz,
        event_id -> Uuid,
        pod_id -> Uuid,
        message_id -> Text,
        label -> Text,
        added -> Bool,
        actor -> Jsonb,
    }
}

diesel::table! {
    legal_holds (organization_id, inbox_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        reason -> Text,
        placed_by -> Jsonb,
        placed_at -> Timestamptz,
    }
}

diesel::table! {
    list_entries (organization_id, scope, direction, list_type, entry) {
        organization_id -> Uuid,
        scope -> Text,
        direction -> Text,
        list_type -> Text,
        entry -> Text,
        reason -> Nullable<Text>,
        created_at -> Timestamptz,
        require_authentication -> Bool,
    }
}

diesel::table! {
    mail_quotas (subject) {
        subject -> Text,
        hour_until -> Timestamptz,
        day_until -> Timestamptz,
    }
}

diesel::table! {
    mail_reports (mail_report_id) {
        mail_report_id -> Uuid,
        digest -> Binary,
        domain -> Text,
        kind -> Text,
        received_at -> Timestamptz,
        share -> Text,
        organization_id -> Nullable<Uuid>,
        base_domain -> Text,
        sender -> Nullable<Text>,
        content -> Text,
        bytes -> Integer,
    }
}

diesel::table! {
    member_emails (email, organization_id) {
        email -> Text,
        organization_id -> Uuid,
        member_id -> Uuid,
    }
}

diesel::table! {
    members (organization_id, member_id) {
        organization_id -> Uuid,
        member_id -> Uuid,
        email -> Text,
        name -> Text,
        role -> Text,
        inbox_ids -> Array<Text>,
        client_id -> Nullable<Text>,
        joined_at -> Nullable<Timestamptz>,
        removed_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    message_bodies (organization_id, inbox_id, message_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        message_id -> Text,
        search_text -> Text,
        folded_from -> Text,
        folded_to -> Array<Text>,
        folded_subject -> Text,
        body -> Binary,
        authentication -> Nullable<Jsonb>,
        spam -> Nullable<Jsonb>,
        extracted -> Nullable<Jsonb>,
        feedback -> Nullable<Jsonb>,
        attachments_due_at -> Nullable<Timestamptz>,
        attachment_attempts -> SmallInt,
        attachment_texts -> Nullable<Array<Text>>,
        unread_attachments -> Nullable<Integer>,
        large_raw -> Nullable<Binary>,
        body_bytes -> BigInt,
        blob_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    message_labels (organization_id, inbox_id, label, hidden, timestamp, message_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        label -> Text,
        hidden -> SmallInt,
        timestamp -> Timestamptz,
        message_id -> Text,
    }
}

diesel::table! {
    messages (organization_id, inbox_id, message_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        message_id -> Text,
        thread_id -> Uuid,
        labels -> Array<Text>,
        hidden -> SmallInt,
        timestamp -> Timestamptz,
        from_ -> Text,
        to_ -> Array<Text>,
        cc -> Array<Text>,
        bcc -> Array<Text>,
        reply_to -> Array<Text>,
        subject -> Nullable<Text>,
        preview -> Nullable<Text>,
        attachments -> Jsonb,
        in_reply_to -> Nullable<Text>,
        references_ -> Array<Text>,
        size -> BigInt,
        sent_by -> Nullable<Jsonb>,
        header_message_id -> Nullable<Text>,
        digest -> Nullable<Binary>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        delivered_to -> Nullable<Text>,
        tag -> Nullable<Text>,
        trust -> Nullable<Jsonb>,
        release -> Nullable<Jsonb>,
        redacted_at -> Nullable<Timestamptz>,
        calendar_event_id -> Nullable<Text>,
    }
}

diesel::table! {
    notes (organization_id, inbox_id, thread_id, note_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        thread_id -> Uuid,
        note_id -> Uuid,
        text -> Text,
        created_by -> Jsonb,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    organizations (organization_id) {
        organization_id -> Uuid,
        owner_email -> Nullable<Text>,
        plan -> Text,
        verified_at -> Nullable<Timestamptz>,
        default_pod_id -> Uuid,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        removed_at -> Nullable<Timestamptz>,
        suspended_at -> Nullable<Timestamptz>,
        suspended_reason -> Nullable<Text>,
        quarantine -> Text,
        owner_changes -> Integer,
        brake -> Nullable<Text>,
        brake_since -> Nullable<Timestamptz>,
        brake_reason -> Nullable<Text>,
        brake_counts_from -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    return_paths (organization_id, outgoing_id) {
        organization_id -> Uuid,
        outgoing_id -> Uuid,
        pod_id -> Uuid,
        inbox_id -> Text,
        thread_id -> Uuid,
        message_id -> Text,
        recipients -> Array<Text>,
        told -> Array<SmallInt>,
    }
}

diesel::table! {
    oauth_clients (client_id) {
        client_id -> Text,
        source -> Text,
        name -> Text,
        redirect_uris -> Array<Text>,
        auth_method -> Text,
        secret_hash -> Nullable<Binary>,
        created_at -> Timestamptz,
        used_at -> Nullable<Timestamptz>,
        cached_until -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    oauth_codes (code_hash) {
        code_hash -> Binary,
        organization_id -> Uuid,
        connection_id -> Uuid,
        redirect_uri -> Text,
        challenge -> Text,
        expires_at -> Timestamptz,
        used_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    oauth_grants (organization_id, connection_id) {
        organization_id -> Uuid,
        connection_id -> Uuid,
        member_id -> Uuid,
        client_id -> Text,
        client_name -> Text,
        redirect_host -> Text,
        permissions -> Jsonb,
        inbox_ids -> Array<Text>,
        resource -> Text,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        used_at -> Nullable<Timestamptz>,
        expires_at -> Timestamptz,
        revoked_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    oauth_refresh_tokens (organization_id, connection_id, token_hash) {
        organization_id -> Uuid,
        connection_id -> Uuid,
        token_hash -> Binary,
        parent_hash -> Nullable<Binary>,
        created_at -> Timestamptz,
        retired_at -> Nullable<Timestamptz>,
        expires_at -> Timestamptz,
    }
}

diesel::table! {
    operator_mail (mail_id) {
        mail_id -> Uuid,
        digest -> Binary,
        received_at -> Timestamptz,
        network -> Text,
        envelope_from -> Nullable<Text>,
        recipient -> Text,
        subject -> Nullable<Text>,
        size -> BigInt,
        content -> Binary,
    }
}

diesel::table! {
    outgoing (organization_id, outgoing_id) {
        organization_id -> Uuid,
        outgoing_id -> Uuid,
        pod_id -> Nullable<Uuid>,
        inbox_id -> Nullable<Text>,
        thread_id -> Nullable<Uuid>,
        message_id -> Nullable<Text>,
        route -> Text,
        envelope_from -> Text,
        recipients -> Array<Text>,
        sealed -> Nullable<Binary>,
        raw -> Nullable<Binary>,
        attempts -> Integer,
        created_at -> Timestamptz,
        due_at -> Timestamptz,
        destination -> Text,
        claim_id -> Nullable<Uuid>,
        is_delay_told -> Bool,
        is_code -> Bool,
        held_due_at -> Nullable<Timestamptz>,
        deferral -> Nullable<Text>,
        traceparent -> Nullable<Text>,
        blob_id -> Nullable<Uuid>,
        share_id -> Uuid,
    }
}

diesel::table! {
    processes (process_id) {
        process_id -> Uuid,
        beats -> BigInt,
        seen_at -> Timestamptz,
    }
}

diesel::table! {
    owner_emails (email) {
        email -> Text,
        organization_id -> Uuid,
    }
}

diesel::table! {
    payment_events (organization_id, event_id) {
        organization_id -> Uuid,
        event_id -> Text,
        seen_at -> Timestamptz,
    }
}

diesel::table! {
    polling_webhooks (organization_id, webhook_id) {
        organization_id -> Uuid,
        webhook_id -> Uuid,
        pod_id -> Nullable<Uuid>,
        inbox_id -> Nullable<Text>,
        client_id -> Text,
        event_types -> Array<Text>,
        narrowed -> Bool,
        pod_ids -> Array<Uuid>,
        inbox_ids -> Array<Text>,
        token_hash -> Binary,
        start_at -> Timestamptz,
        start_position -> BigInt,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    pods (organization_id, pod_id) {
        organization_id -> Uuid,
        pod_id -> Uuid,
        name -> Text,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        client_id -> Nullable<Text>,
        deleted_at -> Nullable<Timestamptz>,
        quarantine -> Nullable<Text>,
    }
}

diesel::table! {
    sending_policies (organization_id, level, level_id) {
        organization_id -> Uuid,
        level -> Text,
        level_id -> Text,
        rules -> Jsonb,
        updated_by -> Nullable<Jsonb>,
        updated_at -> Timestamptz,
    }
}

diesel::table! {
    policy_counts (organization_id, subject, minute) {
        organization_id -> Uuid,
        subject -> Text,
        minute -> Timestamptz,
        messages -> Integer,
    }
}

diesel::table! {
    received_codes (organization_id, inbox_id, received_at, message_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        received_at -> Timestamptz,
        message_id -> Text,
        sealed -> Binary,
    }
}

diesel::table! {
    proven_domains (name) {
        name -> Text,
        organization_id -> Uuid,
        domain_id -> Uuid,
    }
}

diesel::table! {
    send_counts (organization_id, day) {
        organization_id -> Uuid,
        day -> Date,
        count -> BigInt,
    }
}

diesel::table! {
    search_blocks (organization_id, segment_id, first_gram) {
        organization_id -> Uuid,
        segment_id -> Uuid,
        first_gram -> BigInt,
        block -> Binary,
    }
}

diesel::table! {
    search_documents (organization_id, segment_id, first_document) {
        organization_id -> Uuid,
        segment_id -> Uuid,
        first_document -> Integer,
        timestamps -> Array<Timestamptz>,
        message_ids -> Array<Text>,
    }
}

diesel::table! {
    search_pending (organization_id, inbox_id, hidden, hour, pending_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        hidden -> SmallInt,
        hour -> Timestamptz,
        pending_id -> Uuid,
        timestamp -> Timestamptz,
        message_id -> Text,
    }
}

diesel::table! {
    search_segments (organization_id, inbox_id, hidden, segment_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        hidden -> SmallInt,
        segment_id -> Uuid,
        documents -> Integer,
        octets -> BigInt,
        oldest -> Timestamptz,
        newest -> Timestamptz,
        fences -> Array<Timestamptz>,
    }
}

diesel::table! {
    search_unlisted (organization_id, inbox_id, segment_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        segment_id -> Uuid,
        until -> Timestamptz,
    }
}

diesel::table! {
    send_keys (organization_id, key) {
        organization_id -> Uuid,
        key -> Text,
        request -> Binary,
        claim_id -> Uuid,
        claimed_until -> Timestamptz,
        message_id -> Nullable<Text>,
        thread_id -> Nullable<Uuid>,
        used_at -> Timestamptz,
        draft_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    sign_in_codes (email) {
        email -> Text,
        nonce -> Binary,
        expires_at -> Timestamptz,
        attempts -> Integer,
        mail_due_at -> Nullable<Timestamptz>,
        asked_since -> Timestamptz,
        asked -> Integer,
        asked_at -> Nullable<Timestamptz>,
        guesses_until -> Nullable<Timestamptz>,
        mails_newcomers -> Bool,
    }
}

diesel::table! {
    sign_up_invitations (invitation_hash) {
        invitation_hash -> Binary,
        created_at -> Timestamptz,
        expires_at -> Timestamptz,
    }
}

diesel::table! {
    service_state (singleton) {
        singleton -> Bool,
        secret_key_check -> Nullable<Binary>,
        held_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    subscriptions (organization_id, subscription_id) {
        organization_id -> Uuid,
        subscription_id -> Text,
        state -> Text,
        plan -> Nullable<Text>,
        said_at -> Timestamptz,
    }
}

diesel::table! {
    smtp_refusals (organization_id, inbox_id, refusal_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        refusal_id -> Uuid,
        refused_at -> Timestamptz,
        last_refused_at -> Timestamptz,
        refusals -> BigInt,
        client -> Text,
        helo -> Text,
        envelope_from -> Nullable<Text>,
        recipient -> Text,
        stage -> Text,
        code -> Integer,
        status -> Text,
        reply -> Text,
    }
}

diesel::table! {
    sts_policies (domain) {
        domain -> Text,
        policy_id -> Text,
        mode -> Text,
        hosts -> Array<Text>,
        bytes -> BigInt,
        fetched_at -> Timestamptz,
        expires_at -> Timestamptz,
        used_at -> Timestamptz,
    }
}

diesel::table! {
    suppressions (organization_id, address) {
        organization_id -> Uuid,
        address -> Text,
        reason -> Text,
        created_at -> Timestamptz,
    }
}

diesel::table! {
    thread_labels (organization_id, inbox_id, label, visible, timestamp, thread_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        label -> Text,
        visible -> Bool,
        timestamp -> Timestamptz,
        thread_id -> Uuid,
    }
}

diesel::table! {
    threads (organization_id, inbox_id, thread_id) {
        organization_id -> Uuid,
        inbox_id -> Text,
        thread_id -> Uuid,
        labels -> Array<Text>,
        timestamp -> Timestamptz,
        received_timestamp -> Nullable<Timestamptz>,
        sent_timestamp -> Nullable<Timestamptz>,
        senders -> Array<Text>,
        recipients -> Array<Text>,
        subject -> Nullable<Text>,
        preview -> Nullable<Text>,
        attachments -> Jsonb,
        last_message_id -> Text,
        message_count -> BigInt,
        size -> BigInt,
        hidden_sets -> Integer,
        visible -> Bool,
        assignee_id -> Nullable<Text>,
        assignee -> Nullable<Jsonb>,
        folded_senders -> Array<Text>,
        folded_recipients -> Array<Text>,
        folded_subject -> Text,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        trust -> Nullable<Jsonb>,
    }
}

diesel::table! {
    usage_samples (organization_id, pod_id, inbox_id, hour) {
        organization_id -> Uuid,
        pod_id -> Uuid,
        inbox_id -> Text,
        hour -> Timestamptz,
        taken_at -> Timestamptz,
        storage_bytes -> BigInt,
        message_count -> BigInt,
        thread_count -> BigInt,
        inbox_count -> BigInt,
        pod_count -> BigInt,
        domain_count -> BigInt,
    }
}

diesel::table! {
    verification_codes (organization_id) {
        organization_id -> Uuid,
        code_hash -> Binary,
        expires_at -> Timestamptz,
        attempts -> Integer,
        sign_up_network -> Nullable<Text>,
    }
}

diesel::table! {
    webhook_attempts (organization_id, attempted_at, attempt_id) {
        organization_id -> Uuid,
        attempted_at -> Timestamptz,
        attempt_id -> Uuid,
        webhook_id -> Uuid,
        event_id -> Uuid,
        event_type -> Text,
        status_code -> Nullable<Integer>,
        duration_ms -> Integer,
        response_body -> Nullable<Text>,
        error -> Nullable<Text>,
        next_attempt_at -> Nullable<Timestamptz>,
    }
}

diesel::table! {
    webhook_deliveries (organization_id, webhook_id, event_id) {
        organization_id -> Uuid,
        webhook_id -> Uuid,
        event_id -> Uuid,
        event_type -> Text,
        event_created_at -> Timestamptz,
        position -> BigInt,
        attempts -> Integer,
        due_at -> Timestamptz,
        claim_id -> Nullable<Uuid>,
    }
}

diesel::table! {
    webhook_replays (organization_id, webhook_id) {
        organization_id -> Uuid,
        webhook_id -> Uuid,
        next_at -> Timestamptz,
        next_id -> Uuid,
        until_at -> Timestamptz,
        walked_at -> Timestamptz,
    }
}

diesel::table! {
    webhooks (organization_id, webhook_id) {
        organization_id -> Uuid,
        webhook_id -> Uuid,
        pod_id -> Nullable<Uuid>,
        inbox_id -> Nullable<Text>,
        url -> Text,
        event_types -> Array<Text>,
        narrowed -> Bool,
        pod_ids -> Array<Uuid>,
        inbox_ids -> Array<Text>,
        enabled -> Bool,
        secret -> Binary,
        previous_secrets -> Array<Binary>,
        previous_until -> Array<Timestamptz>,
        header_names -> Array<Text>,
        headers -> Nullable<Binary>,
        client_id -> Nullable<Text>,
        failing_since -> Nullable<Timestamptz>,
        last_failed_at -> Nullable<Timestamptz>,
        created_at -> Timestamptz,
        updated_at -> Timestamptz,
        trust -> Array<Text>,
    }
}

diesel::allow_tables_to_appear_in_same_query!(
    api_key_hashes,
    api_keys,
    members,
    oauth_grants,
    organizations,
    owner_emails,
    polling_webhooks
);
