//! Declaration macro for rows that queries return.

/// Declares a row once: its struct, its column list in the same order, and the conversion into its entity.
///
/// Each line is `column: type`, and with an entity `column: type => field = value`, where the value names the column.
/// Values may end in `?`.
macro_rules! stored_row {
    (
        $(#[$meta:meta])*
        $visibility:vis struct $row:ident => $entity:ident;
        $(#[$about:meta])*
        $list_visibility:vis const $list:ident = $alias:literal;
        $($column:ident: $kind:ty => $field:ident = $value:expr,)+
    ) => {
        $crate::stored_row::stored_row! {
            $(#[$meta])*
            $visibility struct $row;
            $(#[$about])*
            $list_visibility const $list = $alias;
            $($column: $kind,)+
        }

        impl $row {
            /// Returns the entity of the row.
            $visibility fn entity(self) -> Result<$entity, inboxd_core::ports::StoreError> {
                let Self { $($column),+ } = self;
                Ok($entity { $($field: $value),+ })
            }
        }
    };
    (
        $(#[$meta:meta])*
        $visibility:vis struct $row:ident;
        $(#[$about:meta])*
        $list_visibility:vis const $list:ident = $alias:literal;
        $first:ident: $first_kind:ty, $($column:ident: $kind:ty,)*
    ) => {
        $(#[$meta])*
        $visibility struct $row {
            $first: $first_kind,
            $($column: $kind,)*
        }

        $(#[$about])*
        $list_visibility const $list: &str =
            concat!($alias, ".", stringify!($first), $(", ", $alias, ".", stringify!($column)),*);
    };
}
pub(crate) use stored_row;
