//! Table of error codes: status, meaning and fix.

use actix_web::http::StatusCode;

macro_rules! codes {
    ($($variant:ident = $status:ident $code:literal: $meaning:literal, $fix:literal;)+) => {
        /// A code in the error envelope (`wire.md`, section 2).
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub(crate) enum ErrorCode { $($variant),+ }

        impl ErrorCode {
            /// All codes.
            pub(crate) const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// Returns the `code` of the envelope.
            pub(crate) fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $code),+ }
            }

            /// Returns the HTTP status.
            pub(crate) fn status(self) -> StatusCode {
                match self { $(Self::$variant => StatusCode::$status),+ }
            }

            /// Returns the meaning for the error reference.
            pub(crate) fn meaning(self) -> &'static str {
                match self { $(Self::$variant => $meaning),+ }
            }

            /// Returns the default fix for responses without a more concrete one: a sentence without capital and full
            /// stop.
            pub(crate) fn fix(self) -> &'static str {
                match self { $(Self::$variant => $fix),+ }
            }
        }
    };
}

codes! {
    UnknownEventType = BAD_REQUEST "unknown_event_type":
        "The request names an unknown event type.",
        "use the event types that the message of the error lists";
    CursorExpired = BAD_REQUEST "cursor_expired":
        "The event of the cursor is older than the retention of events.",
        "resume without `after_event_id` from new events, or from the oldest event that GET /v0/events lists";
    QueryRangeTooWide = BAD_REQUEST "query_range_too_wide":
        "The time window of the query is too long, or has too many buckets.",
        "request a shorter window, or a longer period";
    MalformedRequest = BAD_REQUEST "malformed_request":
        "The received bytes are not a valid HTTP/1.1 request (RFC 9112).",
        "send a valid request line, valid header fields, and no body without `Content-Length` or `Transfer-Encoding`";
    InvalidRequest = BAD_REQUEST "invalid_request":
        "A request to an OAuth endpoint lacks a parameter, has one twice or is malformed (RFC 6749, section 5.2).",
        "correct the parameter that the message names";
    InvalidGrant = BAD_REQUEST "invalid_grant":
        "The authorization code or refresh token is unknown, used, expired or revoked, or belongs to another client or redirect URI.",
        "start the authorization again at the authorization endpoint";
    UnauthorizedClient = BAD_REQUEST "unauthorized_client":
        "The OAuth client may not use this grant type or response type.",
        "register a client that names it";
    UnsupportedGrantType = BAD_REQUEST "unsupported_grant_type":
        "The token endpoint knows no such grant type.",
        "send `grant_type=authorization_code` or `grant_type=refresh_token`";
    UnsupportedResponseType = BAD_REQUEST "unsupported_response_type":
        "The authorization endpoint knows no such response type.",
        "send `response_type=code`";
    InvalidScope = BAD_REQUEST "invalid_scope":
        "No requested scope is known, or a scope exceeds those of the connection.",
        "ask for scopes that the metadata lists as `scopes_supported`";
    InvalidTarget = BAD_REQUEST "invalid_target":
        "The parameter `resource` names another server (RFC 8707).",
        "send the `resource` that the protected resource metadata states";
    InvalidRedirectUri = BAD_REQUEST "invalid_redirect_uri":
        "A redirect URI is missing or not permitted (RFC 7591, section 3.2.2).",
        "register https URLs, http URLs of the loopback interface or private schemes, without fragment and user name";
    InvalidClientMetadata = BAD_REQUEST "invalid_client_metadata":
        "A field of the client registration cannot be used (RFC 7591, section 3.2.2).",
        "correct the field that the message names";
    InvalidSignature = BAD_REQUEST "invalid_signature":
        "The signature of the payment event is missing, invalid or too old.",
        "send the signed bytes unchanged within 5 minutes; for the operator: INBOXD_STRIPE_WEBHOOK_SECRET must be the signing secret of this endpoint";
    MissingAuthorization = UNAUTHORIZED "missing_authorization":
        "The request has no API key.",
        "send the header `Authorization: Bearer am_…`; POST /v0/agent/sign-up returns a key";
    UnknownApiKey = UNAUTHORIZED "unknown_api_key":
        "The API key does not exist or was revoked.",
        "use a key that GET /v0/api-keys lists, or sign in with POST /v0/agent/sign-in, which creates a new one";
    ApiKeyExpired = UNAUTHORIZED "api_key_expired":
        "The API key has reached its `expires_at`, which cannot be changed.",
        "use another key, or sign in with POST /v0/agent/sign-in, which creates a new one";
    InvalidOtp = UNAUTHORIZED "invalid_code":
        "The six-digit code is wrong or has expired.",
        "use the newest code that was mailed";
    InvalidClient = UNAUTHORIZED "invalid_client":
        "The OAuth client is unknown, or its secret is wrong or missing.",
        "register the client again";
    InvalidFormToken = FORBIDDEN "invalid_form_token":
        "A form was sent that no page of this service made for this browser, or cookies are off.",
        "allow cookies for this site, and start again";
    AccessDenied = FORBIDDEN "access_denied":
        "The person did not permit the access.",
        "ask the person again";
    MissingPermission = FORBIDDEN "missing_permission":
        "The key has a map of permissions without the required permission, or the scope of the key excludes it.",
        "use a key that holds the permission that the message names";
    PermissionEscalation = FORBIDDEN "permission_escalation":
        "A key can grant only permissions that it holds, no longer than it is valid, and cannot change a key with more permissions.",
        "leave the permission out, or create the key with a key that holds it";
    RoleNotAllowed = FORBIDDEN "role_not_allowed":
        "The role of the member does not include the required permission, or the key acts for no member.",
        "ask the owner or an admin to do it";
    OwnerProtected = FORBIDDEN "owner_protected":
        "The owner cannot be removed or demoted. Before the owner address is confirmed, a sign-up key cannot change or revoke keys of the owner, and sees no connections.",
        "leave the owner as they are; an organization has exactly one";
    InboxOutOfScope = FORBIDDEN "inbox_out_of_scope":
        "The key is limited to one inbox, or the member to some inboxes, and the request names another.",
        "use the inbox of the key, or a key of the organization";
    PodOutOfScope = FORBIDDEN "pod_out_of_scope":
        "The key is limited to one pod, and the request names a resource outside it.",
        "use a key of the organization";
    OrganizationSuspended = FORBIDDEN "organization_suspended":
        "The operator of this server has suspended the organization for the reason in the message. It can read but not send.",
        "reading still works; to resume the organization, clear the reason in the message with the operator of this server";
    SendingHeld = FORBIDDEN "sending_held":
        "Too much mail of the organization bounced or was reported as spam, so nothing of it leaves. It still receives.",
        "remove the addresses that bounce, write only to people who expect the mail, then ask the operator of this server to lift the brake with `inboxd admin lift-brake`";
    InboxPaused = FORBIDDEN "inbox_paused":
        "The inbox is paused: nothing is sent from it, mail to it is deferred, and a key of this inbox alone cannot resume it.",
        "resume it with PATCH /v0/inboxes/{inbox_id} {\"status\": \"active\"} and a key of the pod, the organization or a member";
    SignUpClosed = FORBIDDEN "sign_up_closed":
        "The operator of this server accepts no sign-ups, or only those with an unused invitation.",
        "ask the operator of this server for an invitation and send it as `invitation`";
    NotOffered = FORBIDDEN "not_offered":
        "A method of the client libraries exists, but this service has no such feature.",
        "see the reasons in docs/compatibility.md of the source code";
    OrganizationUnverified = FORBIDDEN "organization_unverified":
        "Until the owner address is confirmed, messages can be sent to the owner only.",
        "verify the organization with POST /v0/agent/verify and the code that was mailed to the owner";
    RecipientSuppressed = FORBIDDEN "recipient_suppressed":
        "The server of a recipient refused a message permanently, or the recipient marked a message as spam.",
        "leave the recipient out";
    RecipientBlocked = FORBIDDEN "recipient_blocked":
        "A recipient is on a send block list of the organization, the pod or the inbox.",
        "leave the recipient out, or delete the entry that the response names";
    RecipientNotAllowed = FORBIDDEN "recipient_not_allowed":
        "A send allow list of the organization, the pod or the inbox has entries, and a recipient is not on it.",
        "leave the recipient out, or add it to the list that the response names";
    PolicyRefused = FORBIDDEN "policy_refused":
        "A policy of sending of the organization, the pod, the inbox or the key refuses the message.",
        "change the message so that the rule in the message of the error allows it, or ask an administrator to change the policy with PUT …/policy";
    AutomaticMessage = FORBIDDEN "automatic_message":
        "The message to reply to is automatic or bulk mail. No person would read the reply, or another program would reply to it.",
        "send no reply, or send the same body with `\"allow_automatic\": true` if the reply is intended";
    ReadOnlyEntry = FORBIDDEN "read_only_entry":
        "The entry is a suppressed address: its server refused a message permanently, or the recipient marked one as spam.",
        "send to another address";
    DomainNotVerified = FORBIDDEN "domain_not_verified":
        "Inboxes can be created on verified domains only. They cannot send once another organization has proven ownership of the domain.",
        "verify the domain with POST /v0/domains/{domain_id}/verify, or leave `domain` out";
    NotFound = NOT_FOUND "not_found":
        "The resource does not exist, or belongs to another organization.",
        "list the resources and use an id from that list";
    RouteNotFound = NOT_FOUND "route_not_found":
        "No endpoint has this path.",
        "see the list of endpoints at /docs";
    UpgradeRequired = UPGRADE_REQUIRED "upgrade_required":
        "The path is a WebSocket, and the request is no upgrade.",
        "connect with a WebSocket client (RFC 6455); GET /v0/events reads the same events over plain HTTP";
    MethodNotAllowed = METHOD_NOT_ALLOWED "method_not_allowed":
        "The path exists, but not with this method.",
        "use a method of the header `Allow`";
    HeadersTooLarge = REQUEST_HEADER_FIELDS_TOO_LARGE "headers_too_large":
        "The request line and header fields have more bytes, or more fields, than the server accepts.",
        "send fewer or shorter header fields, and long lists in several requests";
    RequestTimeout = REQUEST_TIMEOUT "request_timeout":
        "The head or the body of the request did not arrive in time.",
        "send the request again over a faster connection";
    AccountExists = CONFLICT "account_exists":
        "The owner address has an account already; its keys are unchanged.",
        "use a key of that account, or sign in with POST /v0/agent/sign-in, which creates a new one";
    Conflict = CONFLICT "conflict":
        "The request conflicts with the current state.",
        "read the current state and try again";
    PreconditionFailed = PRECONDITION_FAILED "precondition_failed":
        "The resource is not in the version that `If-Match` names (RFC 9110, section 13.1.1).",
        "read the resource again and send its present `etag`";
    AddressTaken = CONFLICT "address_taken":
        "The address was used before. An address cannot be used again, even after its inbox is deleted.",
        "choose another username";
    NotAwaitingApproval = CONFLICT "not_awaiting_approval":
        "The draft does not wait for an approval, or it waits for that of another message.",
        "read the draft again and use the `message_id` of its `approval`; without one it was changed, rejected or has expired";
    DraftSending = CONFLICT "draft_sending":
        "The draft is being sent and can no longer be changed, deleted or sent again.",
        "read the draft again; a sent draft no longer exists";
    MessageSent = CONFLICT "message_sent":
        "The message was sent and can no longer be cancelled.",
        "no action is possible; a later message can correct it";
    AlreadyExists = CONFLICT "already_exists":
        "The resource exists already, and there can be only one.",
        "use the existing one, or delete it first";
    CannotDelete = CONFLICT "cannot_delete":
        "A resource in use cannot be deleted.",
        "delete the resources that use it first";
    LegalHold = CONFLICT "legal_hold":
        "The inbox or the organization is under a legal hold: nothing of it can be deleted.",
        "leave it as it is, or ask an owner or admin to end the hold";
    AlreadyVerified = CONFLICT "already_verified":
        "The owner address was confirmed before.",
        "no action is needed";
    BillingNotConfigured = CONFLICT "billing_not_configured":
        "This server accepts no payments; its operator sets the plans.",
        "ask the operator to set INBOXD_STRIPE_SECRET_KEY, INBOXD_STRIPE_WEBHOOK_SECRET and INBOXD_STRIPE_PRICES, or to set the plan with `inboxd admin plan <organization_id> <plan>`";
    PayloadTooLarge = PAYLOAD_TOO_LARGE "payload_too_large":
        "The request, the message to send or the response exceeds a size limit.",
        "send fewer or smaller attachments, or request fewer messages";
    RangeNotSatisfiable = RANGE_NOT_SATISFIABLE "range_not_satisfiable":
        "The range of the request begins behind the end of the content (RFC 9110, section 14.4).",
        "request a range within the size that `Content-Range` names, or the whole content without `Range`";
    UnsupportedMediaType = UNSUPPORTED_MEDIA_TYPE "unsupported_media_type":
        "The content type of the body is not JSON, or the body is compressed.",
        "send JSON with `Content-Type: application/json` and without Content-Encoding";
    ValidationError = UNPROCESSABLE_ENTITY "validation_error":
        "Fields or parameters are invalid; `errors` names each of them.",
        "correct every field that `errors` names";
    InboxIdRequired = UNPROCESSABLE_ENTITY "inbox_id_required":
        "A member limited to several inboxes must list one of them at a time.",
        "name one of the inboxes that GET /v0/inboxes lists";
    TextUnsupported = UNPROCESSABLE_ENTITY "text_unsupported":
        "The attachment has no text: its format is not read, or it has pictures only.",
        "download the bytes with `download_url`, or with `Accept: application/octet-stream`";
    TextEncrypted = UNPROCESSABLE_ENTITY "text_encrypted":
        "The attachment opens with a password only.",
        "download the bytes with `download_url` and open them with the password, or ask the sender for an open document";
    TextTooLarge = UNPROCESSABLE_ENTITY "text_too_large":
        "The attachment unpacks to more bytes, or needs more memory, than its reader may use.",
        "download the bytes with `download_url`, or ask the sender for a shorter document";
    TextTimedOut = UNPROCESSABLE_ENTITY "text_timed_out":
        "Reading the attachment takes longer than 5 seconds.",
        "download the bytes with `download_url`, or ask the sender for a shorter document";
    TextFailed = UNPROCESSABLE_ENTITY "text_failed":
        "The attachment is damaged, or not of the format that its name says.",
        "download the bytes with `download_url`, or ask the sender for the document again";
    ReplyToElsewhere = UNPROCESSABLE_ENTITY "reply_to_elsewhere":
        "The message asks for replies to another domain than that of its sender, who is no correspondent. Replies would reach somebody else.",
        "name the recipients in `to`, or send the same body with `\"confirm_reply_to\": true` if the reply may go there";
    SystemLabel = UNPROCESSABLE_ENTITY "system_label":
        "Only the service sets this label.",
        "use a label of your own";
    UnsupportedField = UNPROCESSABLE_ENTITY "unsupported_field":
        "A field of compatible APIs that changes behaviour is not supported. Unknown fields are ignored and named in the header `Inboxd-Ignored-Fields`.",
        "leave the field out, or send its harmless value, such as `false`";
    InboxLimitReached = TOO_MANY_REQUESTS "inbox_limit_reached":
        "The plan allows no more inboxes.",
        "delete an inbox, or raise the plan with POST /v0/billing/checkout";
    PodLimitReached = TOO_MANY_REQUESTS "pod_limit_reached":
        "The plan allows no more pods; the default pod counts.",
        "delete a pod, or raise the plan with POST /v0/billing/checkout";
    DomainLimitReached = TOO_MANY_REQUESTS "domain_limit_reached":
        "The plan allows no more custom domains.",
        "delete a domain, or raise the plan with POST /v0/billing/checkout";
    WebhookLimitReached = TOO_MANY_REQUESTS "webhook_limit_reached":
        "The plan allows no more webhooks.",
        "delete a webhook, or raise the plan with POST /v0/billing/checkout";
    MemberLimitReached = TOO_MANY_REQUESTS "member_limit_reached":
        "The plan allows no more members, the owner and invited ones included.",
        "remove a member, or raise the plan with POST /v0/billing/checkout";
    SendingSlowed = TOO_MANY_REQUESTS "sending_slowed":
        "Too much mail of the organization bounced or was reported as spam, so it sends few messages a day, and has sent them.",
        "wait until 00:00 UTC (`Retry-After`), remove the addresses that bounce, and write only to people who expect the mail";
    DailyLimitReached = TOO_MANY_REQUESTS "daily_limit_reached":
        "The plan allows no more messages today.",
        "wait until 00:00 UTC (`Retry-After`), or raise the plan with POST /v0/billing/checkout";
    MonthlyLimitReached = TOO_MANY_REQUESTS "monthly_limit_reached":
        "The plan allows no more messages this month.",
        "wait until the first of next month (`Retry-After`), or raise the plan with POST /v0/billing/checkout";
    StorageLimitReached = TOO_MANY_REQUESTS "storage_limit_reached":
        "Messages, drafts and notes use more storage than the plan allows.",
        "delete messages or drafts, which frees their storage at once, or raise the plan with POST /v0/billing/checkout";
    ResourceLimitReached = TOO_MANY_REQUESTS "resource_limit_reached":
        "An inbox, a thread or an organization has reached its row limit, which is the same for all plans.",
        "delete resources that are not needed; the operator can raise the limit";
    AttemptsExceeded = TOO_MANY_REQUESTS "code_attempts_exceeded":
        "Too many wrong codes were tried.",
        "request a new code: POST /v0/agent/sign-in mails one at once, POST /v0/agent/verify after the old one has expired";
    TooManyRequests = TOO_MANY_REQUESTS "too_many_requests":
        "The client address, the key or the organization sent too many requests, or too many codes and invitations were mailed to one mailbox or by one organization.",
        "wait for the seconds of `Retry-After`";
    LoopBudgetReached = TOO_MANY_REQUESTS "loop_budget_reached":
        "Keys have sent 50 messages to one address in one thread within 24 hours, or 100 from one inbox within an hour. The limit stops agents that reply to each other without end.",
        "check the conversation; wait for the seconds of `Retry-After`, or let a member reply";
    InternalError = INTERNAL_SERVER_ERROR "internal_error":
        "The service failed.",
        "try again; if the error persists, give the operator the `X-Request-Id` of the response";
    ContentLost = INTERNAL_SERVER_ERROR "content_lost":
        "The store of large contents has lost or damaged the content. All else of the message, draft or file is available.",
        "give the operator the `X-Request-Id` of the response; a repetition of the request has the same result";
    ServiceUnavailable = SERVICE_UNAVAILABLE "service_unavailable":
        "The service cannot reach its storage or the payment provider, concurrent requests conflict, or large requests use all memory. Nothing was changed, unless the message says otherwise.",
        "send the same request again after `Retry-After`";
}

impl ErrorCode {
    /// Returns whether the code is one of the OAuth endpoints, and of no other.
    pub(crate) fn is_of_oauth(self) -> bool {
        matches!(
            self,
            Self::InvalidRequest
                | Self::InvalidClient
                | Self::InvalidGrant
                | Self::UnauthorizedClient
                | Self::UnsupportedGrantType
                | Self::UnsupportedResponseType
                | Self::InvalidScope
                | Self::InvalidTarget
                | Self::InvalidRedirectUri
                | Self::InvalidClientMetadata
                | Self::InvalidFormToken
                | Self::AccessDenied
        )
    }

    /// Returns the `name` of the envelope: one per status.
    pub(crate) fn name(self) -> &'static str {
        match self.status() {
            StatusCode::BAD_REQUEST => "BadRequestError",
            StatusCode::UNAUTHORIZED => "UnauthorizedError",
            StatusCode::FORBIDDEN => "ForbiddenError",
            StatusCode::NOT_FOUND => "NotFoundError",
            StatusCode::METHOD_NOT_ALLOWED => "MethodNotAllowedError",
            StatusCode::UPGRADE_REQUIRED => "UpgradeRequiredError",
            StatusCode::REQUEST_TIMEOUT => "RequestTimeoutError",
            StatusCode::REQUEST_HEADER_FIELDS_TOO_LARGE => "HeadersTooLargeError",
            StatusCode::CONFLICT => "ConflictError",
            StatusCode::PRECONDITION_FAILED => "PreconditionFailedError",
            StatusCode::PAYLOAD_TOO_LARGE => "PayloadTooLargeError",
            StatusCode::RANGE_NOT_SATISFIABLE => "RangeNotSatisfiableError",
            StatusCode::UNSUPPORTED_MEDIA_TYPE => "UnsupportedMediaTypeError",
            StatusCode::UNPROCESSABLE_ENTITY => "ValidationError",
            StatusCode::TOO_MANY_REQUESTS => "RateLimitError",
            StatusCode::SERVICE_UNAVAILABLE => "ServiceUnavailableError",
            _ => "InternalServerError",
        }
    }
}
