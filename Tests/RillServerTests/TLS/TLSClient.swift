#if Server
import NIOCore
import NIOPosix
import NIOSSL

/// A client that trusts one certificate.
struct TLSClient {
    var certificate: String
    var port: UInt16
    var minimumVersion = TLSVersion.tlsv12
    var maximumVersion: TLSVersion?

    /// Sends a request, and returns what comes until the server closes.
    func send(_ request: String) async throws -> String {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(certificate.utf8), format: .pem)])
        configuration.minimumTLSVersion = minimumVersion
        configuration.maximumTLSVersion = maximumVersion
        let context = try NIOSSLContext(configuration: configuration)
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: Int(port)) { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(
                        NIOSSLClientHandler(context: context, serverHostname: "localhost"))
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try await outbound.write(ByteBuffer(string: request))
            var text = ""
            for try await piece in inbound {
                text += String(buffer: piece)
                if text.hasSuffix("ok\n") { break }
            }
            return text
        }
    }
}
#endif
