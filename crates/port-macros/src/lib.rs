//! The attribute `port` of the storage ports.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{FnArg, Ident, ItemTrait, Pat, ReceiverKind, Signature, TraitItem, TraitItemFn, parse_macro_input};

/// Derives all implementations of a storage port that repeat its signatures.
///
/// The trait becomes an [`async_trait`](https://docs.rs/async-trait). Beside it there are then:
///
/// - an implementation for each type that is `Refuses<dyn Port>`: every method returns an error;
/// - with the feature `testing`, a mock of `mockall`, named `Mock` and the port;
/// - with the feature `testing`, for a port that reads: the port of `MockStore` with the methods `expect_*`, by the mock in the
///   field that has the name of the port in snake case.
///
/// The unit tests of the crate itself do without mocks, which take more time to compile than all the rest of it; tests with
/// mocks stand in its folder `tests`.
#[proc_macro_attribute]
pub fn port(_: TokenStream, port: TokenStream) -> TokenStream {
    let port = parse_macro_input!(port as ItemTrait);
    let methods: Vec<&TraitItemFn> = port.items.iter().filter_map(method).collect();
    let refusal = refusal(&port.ident, &methods);
    let has_changes = methods.iter().any(|method| is_change(&method.sig));
    let mock = if has_changes { Tokens::new() } else { mock(&port.ident, &methods) };
    quote! {
        #[cfg_attr(all(feature = "testing", not(test)), ::mockall::automock)]
        #[::async_trait::async_trait]
        #port
        #refusal
        #mock
    }
    .into()
}

fn method(item: &TraitItem) -> Option<&TraitItemFn> {
    match item {
        TraitItem::Fn(method) => Some(method),
        _ => None,
    }
}

fn is_change(signature: &Signature) -> bool {
    signature.receiver().is_some_and(|this| matches!(this.kind, ReceiverKind::Reference(_, _, Some(_))))
}

/// Writes the implementation for stores that refuse a port.
fn refusal(port: &Ident, methods: &[&TraitItemFn]) -> Tokens {
    let methods = methods.iter().map(|method| {
        let (signature, call) = (unnamed(&method.sig), format!("{port}::{}", method.sig.ident));
        quote! { #signature { Err(crate::ports::refusal(#call)) } }
    });
    quote! {
        #[::async_trait::async_trait]
        impl<T: crate::ports::Refuses<dyn #port> + Send + Sync> #port for T { #(#methods)* }
    }
}

/// Writes what `MockStore` has of a port that reads.
fn mock(port: &Ident, methods: &[&TraitItemFn]) -> Tokens {
    let (field, module) = (format_ident!("{}", snake_case(port)), format_ident!("__mock_Mock{port}_{port}"));
    let calls = methods.iter().map(|method| {
        let (signature, name) = (&method.sig, &method.sig.ident);
        let arguments = signature.inputs.iter().filter_map(argument);
        quote! { #signature { self.#field.#name(#(#arguments),*).await } }
    });
    let expectations = methods.iter().map(|method| {
        let (name, expect) = (format_ident!("__{}", method.sig.ident), format_ident!("expect_{}", method.sig.ident));
        let documentation = format!("Expects calls of [`{port}::{}`].", method.sig.ident);
        quote! {
            #[doc = #documentation]
            pub fn #expect(&mut self) -> &mut #module::#name::Expectation { self.#field.#expect() }
        }
    });
    quote! {
        #[cfg(all(feature = "testing", not(test)))]
        #[::async_trait::async_trait]
        impl #port for crate::testing::MockStore { #(#calls)* }
        #[cfg(all(feature = "testing", not(test)))]
        impl crate::testing::MockStore { #(#expectations)* }
    }
}

/// Returns a signature whose arguments have no names.
fn unnamed(signature: &Signature) -> Signature {
    let mut signature = signature.clone();
    for input in &mut signature.inputs {
        if let FnArg::Typed(argument) = input {
            argument.pat = syn::parse_quote!(_);
        }
    }
    signature
}

fn argument(input: &FnArg) -> Option<&Pat> {
    match input {
        FnArg::Typed(argument) => Some(&argument.pat),
        FnArg::Receiver(_) => None,
    }
}

fn snake_case(name: &Ident) -> String {
    let mut snake_case = String::new();
    for c in name.to_string().chars() {
        if c.is_uppercase() && !snake_case.is_empty() {
            snake_case.push('_');
        }
        snake_case.extend(c.to_lowercase());
    }
    snake_case
}
