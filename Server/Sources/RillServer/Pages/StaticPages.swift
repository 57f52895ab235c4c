/// The pages, which are part of the program: an installed binary needs no other file.
///
/// To add one: its file in this folder, a line `.embedInCode` in Package.swift, a case here.
enum StaticPages {
    /// A file of a page.
    struct File: Sendable {
        /// Its media type.
        var type: String
        /// Its bytes.
        var bytes: [UInt8]
    }

    /// The file at a path, without the query.
    static func file(at path: Substring) -> File? {
        switch path {
        case "/": File(type: "text/html; charset=utf-8", bytes: PackageResources.index_html)
        default: nil
        }
    }

    /// What a page may load, and who may show it in a frame: only this server.
    static let securityPolicy = "default-src 'self'; frame-ancestors 'self'; base-uri 'none'"
}
