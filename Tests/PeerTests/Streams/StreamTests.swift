import Testing

/// Streams by URL: `rill publish`, `rill watch`, `rill serve` with its pages, and programs of others.
@Suite(.serialized) enum StreamTests {}
