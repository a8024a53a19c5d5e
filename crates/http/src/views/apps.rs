//! Pages of apps, providers and accounts. This service has none of them.

use serde::Serialize;
use utoipa::ToSchema;

use crate::query::Paging;

macro_rules! empty_list {
    ($(#[$doc:meta])* $name:ident { $plural:ident }) => {
        $(#[$doc])*
        #[derive(Serialize, ToSchema)]
        pub(crate) struct $name {
            /// Number of items in this page: 0.
            count: usize,
            /// Maximum number of items in a page.
            limit: u32,
            /// Items of the page; always none.
            #[schema(value_type = Vec<Object>, max_items = 0)]
            $plural: [(); 0],
        }

        impl $name {
            /// Returns the page of an empty list.
            pub(crate) fn new(paging: &Paging) -> Self {
                Self { count: 0, limit: paging.request.limit, $plural: [] }
            }
        }
    };
}

empty_list! {
    /// Page of apps that inboxes can sign in to.
    AppList { apps }
}
empty_list! {
    /// Page of apps, by their former name.
    ProviderList { providers }
}
empty_list! {
    /// Page of accounts of inboxes at apps.
    AccountList { accounts }
}
