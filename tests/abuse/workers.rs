//! One tenant against the shares of delivery and webhooks.
