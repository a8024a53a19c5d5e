//! Attribute `port` of the storage ports, the traits through which the use cases reach storage.

use proc_macro::TokenStream;
use proc_macro2::TokenStream as Tokens;
use quote::{format_ident, quote};
use syn::{FnArg, Ident, ItemTrait, Pat, ReceiverKind, Signature, TraitItem, TraitItemFn, parse_macro_input};

/// Derives the implementations of a storage port that only repeat its signatures.
///
/// The trait becomes an [`async_trait`](https://docs.rs/async-trait). The attribute adds:
///
/// - an implementation for each store that lacks the port (`Refuses<dyn Port>`): every method returns an error;
/// - with the feature `testing`, a mock of `mockall`: `MockPodReads` for the port `PodReads`;
/// - with the feature `testing`, for a port without `&mut self`, which only reads: its implementation for `MockStore`,
///   and the methods `expect_*` of `MockStore`. Both forward to the mock in the field of the port, such as `pod_reads`.
///
/// The unit tests of the crate itself have no mocks, which take more time to compile than the rest of the crate. Tests
/// with mocks are in its folder `tests`.
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

/// Returns whether a method takes `&mut self`, as the writes of a unit of work do.
fn is_change(signature: &Signature) -> bool {
    signature.receiver().is_some_and(|this| matches!(this.kind, ReceiverKind::Reference(_, _, Some(_))))
}

/// Returns the implementation for stores that lack the port.
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

/// Returns the implementation and the expectations of `MockStore` for a port that only reads.
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
