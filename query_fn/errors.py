"""Errors of the query function.

QueryError
├── ArtifactError          the artifacts cannot be served (503)
│   ├── ArtifactMissing    no build there
│   ├── ArtifactDamaged    a size or SHA-256 differs from the manifest
│   ├── ArtifactUnsigned   the manifest does not carry the owner's signature
│   ├── ArtifactUnreachable  the store of the artifacts gives no answer
│   └── ProfileMismatch    built for another schema, tokeniser or embedder; names the field
├── RouteFailed            one retrieval route gave up; the search goes on and names it
├── ModelFailed            the paid model gives no answer; the free one takes over and names it
│   └── Spent              a limit forbids the call that would spend; names the limit
└── RequestError           the caller's fault (4xx), with a title fit for the response
    ├── BadRequest         400
    ├── NotFound           404: absent and not public are the same
    ├── TooLarge           413
    ├── TooMany            429: names the seconds to wait
    ├── Forbidden          403: came around the proxy that the owner put in front
    ├── ProofNeeded        403: the owner wants work before the first question
    └── Closed             503: the owner has switched it off; told like a fault of the caller, with its own words
"""

from __future__ import annotations


class QueryError(Exception):
    """The root of everything the function raises on purpose."""


class ArtifactError(QueryError):
    """The artifacts cannot be served."""

    code = "artifacts_unavailable"


class ArtifactMissing(ArtifactError):
    """There is no complete build at the given place."""

    code = "artifacts_missing"


class ArtifactDamaged(ArtifactError):
    """A file's size or SHA-256 differs from the manifest."""

    code = "artifacts_damaged"


class ArtifactUnsigned(ArtifactError):
    """The manifest is not signed with the owner's key."""

    code = "artifacts_unsigned"


class ArtifactUnreachable(ArtifactError):
    """The store of the artifacts gives no answer."""

    code = "artifacts_unreachable"


class ProfileMismatch(ArtifactError):
    """The build was made for another schema, tokeniser, chunker or embedder."""

    code = "profile_mismatch"


class RouteFailed(QueryError):
    """One retrieval route gave up; the message names the cause. The search goes on and lists the route as degraded."""


class ModelFailed(QueryError):
    """The paid model gives no answer; `code` names why and is fit for diagnostics."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


class Spent(ModelFailed):
    """A limit forbids the call that would spend; `limit` names it."""

    def __init__(self, limit: str) -> None:
        super().__init__(f"limit:{limit}")
        self.limit = limit


class RequestError(QueryError):
    """The caller can fix this; `title` and `detail` are fit for the response."""

    status = 400
    title = "Bad request"
    code = ""  # for what a program does something about

    def __init__(self, detail: str, *, pointer: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.pointer = pointer  # JSON pointer of the field at fault


class BadRequest(RequestError):
    """The request does not follow the schema."""


class NotFound(RequestError):
    """No such article, section or passage is published."""

    status = 404
    title = "Not found"


class OtherBuild(RequestError):
    """The site that the reader is on is of another build than what would answer: one of them is just being renewed."""

    status = 409
    title = "Another build"


class TooLarge(RequestError):
    """The request is larger than the function accepts."""

    status = 413
    title = "Request too large"


class TooMany(RequestError):
    """This client asks faster than the owner allows; `retry_after` is in whole seconds."""

    status = 429
    title = "Too many requests"

    def __init__(self, detail: str, *, retry_after: int) -> None:
        super().__init__(detail)
        self.retry_after = retry_after


class Forbidden(RequestError):
    """The request did not come through the door that the owner has set."""

    status = 403
    title = "Forbidden"


class ProofNeeded(RequestError):
    """The request does not show the work, or the session, that the owner wants before a question."""

    status = 403
    title = "Proof of work needed"
    code = "proof_needed"


class Closed(RequestError):
    """The owner has switched the service off."""

    status = 503
    title = "Switched off"
