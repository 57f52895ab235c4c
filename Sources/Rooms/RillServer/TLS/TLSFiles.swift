#if Server
import NIOSSL

/// The files of a server's certificate.
public struct TLSFiles: Equatable, Sendable {
    /// The certificate with its chain, as PEM.
    public var certificate: String
    /// The certificate's key, as PEM.
    public var key: String

    /// Files at these paths.
    public init(certificate: String, key: String) { (self.certificate, self.key) = (certificate, key) }

    /// Reads them: TLS 1.2 and later, HTTP/1.1.
    ///
    /// - Throws: `badCertificate`.
    func configuration() throws(ServerError) -> TLSConfiguration {
        let chain: [NIOSSLCertificate]
        do { chain = try NIOSSLCertificate.fromPEMFile(certificate) } catch {
            throw .badCertificate(path: certificate, reason: "\(error)")
        }
        guard !chain.isEmpty else { throw .badCertificate(path: certificate, reason: "there is no certificate in it") }
        let privateKey: NIOSSLPrivateKey
        do { privateKey = try NIOSSLPrivateKey(file: key, format: .pem) } catch {
            throw .badCertificate(path: key, reason: "\(error)")
        }
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(privateKey))
        configuration.minimumTLSVersion = .tlsv12
        configuration.applicationProtocols = ["http/1.1"]
        // A key of another certificate is found out here, not at the first connection.
        do { _ = try NIOSSLContext(configuration: configuration) } catch {
            throw .badCertificate(path: key, reason: "\(error)")
        }
        return configuration
    }
}
#endif
