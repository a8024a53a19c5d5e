//! Reading and writing mail: MIME, text from HTML, what is new in a reply.
