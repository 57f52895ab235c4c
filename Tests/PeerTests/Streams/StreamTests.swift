import Testing

/// Streams by URL: `rill publish`, `rill watch`, `rill serve` and its pages, with each other and with programs of others.
@Suite(.serialized) enum StreamTests {}
