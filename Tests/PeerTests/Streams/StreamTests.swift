import Testing

/// Streams by URL: `rill publish`, `rill watch`, rill-serve and its pages, with each other and with programs of others.
@Suite(
    .serialized,
    .enabled(
        if: StreamServer.program != nil && EndpointServer.http != nil,
        "rill-serve is not built: swift build --package-path Server"))
enum StreamTests {}
