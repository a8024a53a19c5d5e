//! The storage ports, each listed once: reads of a store, and writes of a unit of work.

/// Passes all read ports to a macro: the field of the mock store, then module, port and mock.
macro_rules! read_ports {
    ($apply:ident) => {
        $apply! {
            account_reads: accounts::{AccountReads, MockAccountReads},
            api_key_reads: api_keys::{ApiKeyReads, MockApiKeyReads},
            attachment_index: attachment_index::{AttachmentIndex, MockAttachmentIndex},
            audit_reads: audit::{AuditReads, MockAuditReads},
            browser_session_reads: browser_sessions::{BrowserSessionReads, MockBrowserSessionReads},
            billing_reads: billing::{BillingReads, MockBillingReads},
            calendar_reads: calendar::{CalendarReads, MockCalendarReads},
            connection_reads: connections::{ConnectionReads, MockConnectionReads},
            contact_reads: contacts::{ContactReads, MockContactReads},
            delivery_reads: deliveries::{DeliveryReads, MockDeliveryReads},
            domain_reads: domains::{DomainReads, MockDomainReads},
            draft_reads: drafts::{DraftReads, MockDraftReads},
            event_reads: events::{EventReads, MockEventReads},
            feed_reads: feed::{FeedReads, MockFeedReads},
            file_reads: files::{FileReads, MockFileReads},
            inbox_reads: inboxes::{InboxReads, MockInboxReads},
            label_history_reads: label_history::{LabelHistoryReads, MockLabelHistoryReads},
            legal_hold_reads: legal_holds::{LegalHoldReads, MockLegalHoldReads},
            list_reads: lists::{ListReads, MockListReads},
            mail_report_reads: mail_reports::{MailReportReads, MockMailReportReads},
            member_reads: members::{MemberReads, MockMemberReads},
            message_reads: messages::{MessageReads, MockMessageReads},
            metric_reads: metrics::{MetricReads, MockMetricReads},
            note_reads: notes::{NoteReads, MockNoteReads},
            oauth_client_reads: oauth_clients::{OauthClientReads, MockOauthClientReads},
            operator_mail_reads: operator_mails::{OperatorMailReads, MockOperatorMailReads},
            outgoing_reads: outgoing::{OutgoingReads, MockOutgoingReads},
            pod_reads: pods::{PodReads, MockPodReads},
            policy_reads: policies::{PolicyReads, MockPolicyReads},
            polling_reads: polling::{PollingReads, MockPollingReads},
            processes: processes::{Processes, MockProcesses},
            return_path_reads: return_paths::{ReturnPathReads, MockReturnPathReads},
            search_index: search::{SearchIndex, MockSearchIndex},
            suppression_reads: suppressions::{SuppressionReads, MockSuppressionReads},
            thread_reads: threads::{ThreadReads, MockThreadReads},
            trace_reads: trace::{TraceReads, MockTraceReads},
            webhook_reads: webhooks::{WebhookReads, MockWebhookReads},
            word_search_reads: word_search::{WordSearchReads, MockWordSearchReads},
        }
    };
}
pub(crate) use read_ports;

/// Passes all write ports to a macro, in groups: the accessor, then module, port and mock.
macro_rules! write_ports {
    ($apply:ident) => {
        $apply! {
            /// Writes to organizations, and to what belongs to all of one.
            OrganizationWrites {
                /// Organizations, their pods and codes.
                accounts: accounts::{AccountWrites, MockAccountWrites},
                /// API keys.
                api_keys: api_keys::{ApiKeyWrites, MockApiKeyWrites},
                /// Audit log.
                audit: audit::{AuditWrites, MockAuditWrites},
                /// Browser sessions.
                browser_sessions: browser_sessions::{BrowserSessionWrites, MockBrowserSessionWrites},
                /// Customers and subscriptions.
                billing: billing::{BillingWrites, MockBillingWrites},
                /// Resources by the `client_id` that created them.
                client_ids: client_ids::{ClientIdWrites, MockClientIdWrites},
                /// Connections of OAuth clients.
                connections: connections::{ConnectionWrites, MockConnectionWrites},
                /// Custom domains.
                domains: domains::{DomainWrites, MockDomainWrites},
                /// Legal holds.
                legal_holds: legal_holds::{LegalHoldWrites, MockLegalHoldWrites},
                /// Allow and block lists.
                lists: lists::{ListWrites, MockListWrites},
                /// Quotas of service mail.
                mail_quotas: mail_quotas::{MailQuotaWrites, MockMailQuotaWrites},
                /// Aggregate reports.
                mail_reports: mail_reports::{MailReportWrites, MockMailReportWrites},
                /// Members.
                members: members::{MemberWrites, MockMemberWrites},
                /// OAuth clients.
                oauth_clients: oauth_clients::{OauthClientWrites, MockOauthClientWrites},
                /// Authorization codes and refresh tokens.
                oauth_tokens: oauth_tokens::{OauthTokenWrites, MockOauthTokenWrites},
                /// Mail for the operator.
                operator_mails: operator_mails::{OperatorMailWrites, MockOperatorMailWrites},
                /// Policies of sending.
                policies: policies::{PolicyWrites, MockPolicyWrites},
                /// Pods.
                pods: pods::{PodWrites, MockPodWrites},
                /// Sign-in codes.
                sign_ins: sign_ins::{SignInWrites, MockSignInWrites},
                /// Usage, which caps limit.
                usage: usage::{UsageWrites, MockUsageWrites},
            }
            /// Writes to inboxes and their content.
            InboxContentWrites {
                /// Calendars.
                calendar: calendar::{CalendarWrites, MockCalendarWrites},
                /// Contacts.
                contacts: contacts::{ContactWrites, MockContactWrites},
                /// Drafts.
                drafts: drafts::{DraftWrites, MockDraftWrites},
                /// Files of inboxes.
                files: files::{FileWrites, MockFileWrites},
                /// First reads of messages.
                first_reads: first_reads::{FirstReadWrites, MockFirstReadWrites},
                /// Lookups of the inbound pipeline.
                inbound: arrivals::{InboundQueries, MockInboundQueries},
                /// Inboxes.
                inboxes: inboxes::{InboxWrites, MockInboxWrites},
                /// Label changes by callers.
                label_history: label_history::{LabelHistoryWrites, MockLabelHistoryWrites},
                /// Messages.
                messages: messages::{MessageWrites, MockMessageWrites},
                /// Notes.
                notes: notes::{NoteWrites, MockNoteWrites},
                /// Mail that was refused at SMTP.
                refusals: refusals::{RefusalWrites, MockRefusalWrites},
                /// Threads.
                threads: threads::{ThreadWrites, MockThreadWrites},
            }
            /// Writes to outgoing mail, events and webhooks.
            OutputWrites {
                /// Webhook deliveries.
                deliveries: deliveries::{DeliveryWrites, MockDeliveryWrites},
                /// Events.
                events: events::{EventWrites, MockEventWrites},
                /// Idempotency keys of sends.
                idempotency_keys: send_keys::{IdempotencyKeyWrites, MockIdempotencyKeyWrites},
                /// The outgoing queue.
                outgoing: outgoing::{OutgoingWrites, MockOutgoingWrites},
                /// Polling webhooks.
                polling: polling::{PollingWrites, MockPollingWrites},
                /// Replays of events to webhooks.
                replays: replays::{ReplayWrites, MockReplayWrites},
                /// Sent mail by its return path.
                return_paths: return_paths::{ReturnPathWrites, MockReturnPathWrites},
                /// Suppressed addresses.
                suppressions: suppressions::{SuppressionWrites, MockSuppressionWrites},
                /// Webhooks.
                webhooks: webhooks::{WebhookWrites, MockWebhookWrites},
            }
        }
    };
}
pub(crate) use write_ports;
