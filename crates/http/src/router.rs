//! From the path of a request to its endpoint.
//!
//! The router of actix tries one regular expression after the other, which costs more than all the rest of a request. Ours
//! compares texts.

use actix_web::dev::{Service, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::{Error, HttpMessage, HttpRequest, Route};
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, try_join_all};

/// A served route.
type RouteService = <Route as ServiceFactory<ServiceRequest>>::Service;

/// The path of the table that a request was served by.
struct MatchedPath(&'static str);

/// The path of the table that a request was served by; `None` for a path that is not in it.
pub(crate) fn path_of(request: &HttpRequest) -> Option<&'static str> {
    request.extensions().get::<MatchedPath>().map(|served| served.0)
}

/// Paths with their routes. The first path that matches wins, and of its routes the first that takes the request.
pub(crate) struct PathRouter {
    paths: Vec<(&'static str, Vec<Route>)>,
    otherwise: Route,
}

impl PathRouter {
    /// One that serves what no path matches by a route.
    pub(crate) fn or(otherwise: Route) -> Self {
        Self { paths: Vec::new(), otherwise }
    }

    /// Adds a path; the last of its routes takes every request.
    pub(crate) fn serve(&mut self, path: &'static str, routes: Vec<Route>) {
        self.paths.push((path, routes));
    }
}

impl ServiceFactory<ServiceRequest> for PathRouter {
    type Response = ServiceResponse;
    type Error = Error;
    type Config = ();
    type Service = PathRouting;
    type InitError = ();
    type Future = LocalBoxFuture<'static, Result<PathRouting, ()>>;

    fn new_service(&self, (): ()) -> Self::Future {
        let served = |(path, routes): &(&'static str, Vec<Route>)| {
            let pattern = PathPattern::of(path);
            let routes = try_join_all(routes.iter().map(|route| route.new_service(())));
            async move { Ok::<_, ()>((pattern, routes.await?)) }
        };
        let paths = try_join_all(self.paths.iter().map(served));
        let otherwise = self.otherwise.new_service(());
        async move { Ok(PathRouting { paths: paths.await?, otherwise: otherwise.await? }) }.boxed_local()
    }
}

/// A [`PathRouter`] of one worker.
pub(crate) struct PathRouting {
    paths: Vec<(PathPattern, Vec<RouteService>)>,
    otherwise: RouteService,
}

impl Service<ServiceRequest> for PathRouting {
    type Response = ServiceResponse;
    type Error = Error;
    type Future = <RouteService as Service<ServiceRequest>>::Future;

    actix_service::always_ready!();

    fn call(&self, mut request: ServiceRequest) -> Self::Future {
        let path = request.match_info().unprocessed();
        let matching = self.paths.iter().find_map(|(pattern, routes)| Some((pattern, pattern.values(path)?, routes)));
        let Some((pattern, values, routes)) = matching else { return self.otherwise.call(request) };
        request.extensions_mut().insert(MatchedPath(pattern.path));
        for (name, value) in values {
            request.match_info_mut().add_static(name, value);
        }
        let route = routes.iter().find(|route| route.check(&mut request));
        route.unwrap_or(&self.otherwise).call(request)
    }
}

/// A path with parameters. One of them may hold slashes: ids of messages, and addresses on lists.
struct PathPattern {
    path: &'static str,
    /// What stands before the first parameter.
    start: &'static str,
    /// The segments up to the one that may hold slashes.
    head: Vec<PathSegment>,
    /// The one that may, and the segments behind it, the last first.
    rest: Option<(&'static str, Vec<PathSegment>)>,
}

/// What stands between two slashes.
enum PathSegment {
    Word(&'static str),
    Parameter(&'static str),
}

/// Values by the names of their parameters.
type PathValues = Vec<(&'static str, String)>;

impl PathPattern {
    fn of(path: &'static str) -> Self {
        let mut pattern = Self { path, start: path.split('{').next().unwrap_or(path), head: Vec::new(), rest: None };
        for segment in path.split('/').skip(1) {
            let name = segment.strip_prefix('{').and_then(|segment| segment.strip_suffix('}'));
            match (name, &mut pattern.rest) {
                (Some(name @ ("message_id" | "entry")), rest @ None) => *rest = Some((name, Vec::new())),
                (_, Some((_, tail))) => tail.insert(0, PathSegment::of(name, segment)),
                (_, None) => pattern.head.push(PathSegment::of(name, segment)),
            }
        }
        pattern
    }

    /// The values of a path that matches.
    fn values(&self, path: &str) -> Option<PathValues> {
        if !path.starts_with(self.start) {
            return None;
        }
        let mut values = PathValues::new();
        let mut left = path;
        for segment in &self.head {
            let behind = left.strip_prefix('/')?;
            let (text, more) = behind.split_at(behind.find('/').unwrap_or(behind.len()));
            segment.take(text, &mut values)?;
            left = more;
        }
        let Some((name, tail)) = &self.rest else { return left.is_empty().then_some(values) };
        left = left.strip_prefix('/')?;
        let mut behind = PathValues::new();
        for segment in tail {
            let (more, text) = left.rsplit_once('/')?;
            segment.take(text, &mut behind)?;
            left = more;
        }
        PathSegment::Parameter(name).take(left, &mut values)?;
        values.extend(behind.into_iter().rev());
        Some(values)
    }
}

impl PathSegment {
    fn of(name: Option<&'static str>, text: &'static str) -> Self {
        name.map_or(Self::Word(text), Self::Parameter)
    }

    /// Keeps the value of a parameter; `None` for a text that does not stand here.
    fn take(&self, text: &str, values: &mut PathValues) -> Option<()> {
        match self {
            Self::Word(word) => (*word == text).then_some(()),
            Self::Parameter(_) if text.is_empty() => None,
            Self::Parameter(name) => {
                values.push((name, text.to_owned()));
                Some(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_matches_word_by_word_and_an_id_may_hold_slashes() {
        let reply = "/v0/inboxes/{inbox_id}/messages/{message_id}/reply";
        let attachment = "/v0/inboxes/{inbox_id}/messages/{message_id}/attachments/{attachment_id}";
        let table: [(&'static str, &str, Option<&[&str]>); 13] = [
            ("/v0", "/v0", Some(&[])),
            ("/v0", "/v0/", None),
            ("/v0/threads/{thread_id}", "/v0/threads/t", Some(&["t"])),
            ("/v0/threads/{thread_id}", "/v0/threads/", None),
            ("/v0/threads/{thread_id}", "/v0/threads/t/", None),
            ("/v0/threads/{thread_id}", "/v0/threads", None),
            ("/v0/lists/{direction}/{type}/{entry}", "/v0/lists/a/b/c/d", Some(&["a", "b", "c/d"])),
            (reply, "/v0/inboxes/i/messages/a/reply", Some(&["i", "a"])),
            (reply, "/v0/inboxes/i/messages/a/reply/b//reply", Some(&["i", "a/reply/b/"])),
            (reply, "/v0/inboxes/i/messages//reply", None),
            (reply, "/v0/inboxes/i/messages/reply", None),
            (attachment, "/v0/inboxes/i/messages/a/b/attachments/c", Some(&["i", "a/b", "c"])),
            (attachment, "/v0/inboxes/i/messages/a/attachments/", None),
        ];
        for (pattern, path, expected) in table {
            let found = PathPattern::of(pattern).values(path);
            let values: Option<Vec<_>> = found.map(|values| values.into_iter().map(|(_, value)| value).collect());
            assert_eq!(
                values.as_deref(),
                expected.map(|values| values.iter().map(|&v| v.to_owned()).collect::<Vec<_>>()).as_deref(),
                "{pattern} {path}"
            );
        }
    }

    #[test]
    fn values_have_their_names_in_the_order_of_the_path() {
        let pattern = PathPattern::of("/v0/inboxes/{inbox_id}/messages/{message_id}/attachments/{attachment_id}");
        let names: Vec<_> = pattern
            .values("/v0/inboxes/i/messages/m/attachments/a")
            .into_iter()
            .flatten()
            .map(|(name, _)| name)
            .collect();
        assert_eq!(names, ["inbox_id", "message_id", "attachment_id"]);
    }
}
