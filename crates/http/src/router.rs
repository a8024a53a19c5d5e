//! Path router.
//!
//! The router of actix-web tries one regular expression after another, which costs more than the rest of a request.
//! This router compares strings.

use actix_web::dev::{Service, ServiceFactory, ServiceRequest, ServiceResponse};
use actix_web::{Error, HttpMessage, HttpRequest, Route};
use futures_util::FutureExt;
use futures_util::future::{LocalBoxFuture, try_join_all};

/// A served route.
type RouteService = <Route as ServiceFactory<ServiceRequest>>::Service;

/// Path of the route table that matched a request.
struct MatchedPath(&'static str);

/// Returns the path of the route table that matched a request; `None` if none matched.
pub(crate) fn path_of(request: &HttpRequest) -> Option<&'static str> {
    request.extensions().get::<MatchedPath>().map(|served| served.0)
}

/// Paths with their routes. The first matching path wins, and the first of its routes that accepts the request.
pub(crate) struct PathRouter {
    paths: Vec<(&'static str, Vec<Route>)>,
    otherwise: Route,
}

impl PathRouter {
    /// Returns a router without paths that serves every request by the fallback route.
    pub(crate) fn or(otherwise: Route) -> Self {
        Self { paths: Vec::new(), otherwise }
    }

    /// Adds a path. The last of its routes accepts every request.
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

/// [`PathRouter`] of one worker.
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

/// Path with parameters. One of them may contain slashes: a message id or a list entry.
struct PathPattern {
    path: &'static str,
    /// Text before the first parameter.
    start: &'static str,
    /// Segments before the parameter that may contain slashes.
    head: Vec<PathSegment>,
    /// That parameter, and the segments after it, last first.
    rest: Option<(&'static str, Vec<PathSegment>)>,
}

/// Text between two slashes.
enum PathSegment {
    Word(&'static str),
    Parameter(&'static str),
}

/// Parameter names with their values.
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

    /// Returns the values of a matching path.
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

    /// Appends the value of a parameter. Returns `None` if the text does not match the segment.
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
    fn path_matches_by_segment_and_ids_may_contain_slashes() {
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
    fn values_are_in_path_order() {
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
