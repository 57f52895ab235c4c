import COpenSSL

/// The key of MESSAGE-INTEGRITY: the password of one of the two agents (RFC 8489 §9.1.1).
///
/// It keeps what HMAC computes from the password alone, so that each message costs only its own bytes. OpenSSL
/// computes HMAC-SHA1 and, once a message needs it, HMAC-SHA256. About 2 KB for each algorithm.
///
/// Threads: one at a time.
public final class STUNIntegrityKey {
    private let password: [UInt8]
    private let sha1: HMACContext
    private lazy var sha256 = HMACContext("SHA256", key: password)

    /// Creates the key of a password.
    ///
    /// - Parameter password: the bytes of the password, at least one. ICE's are ASCII, so that there is nothing to
    ///   normalize.
    public init(password: [UInt8]) {
        precondition(!password.isEmpty, "an empty password protects nothing")
        self.password = password
        sha1 = HMACContext("SHA1", key: password)
    }

    /// Returns the code for the message of which `bytes` is the part before the attribute, as if its length field
    /// included the attribute.
    func code(_ algorithm: STUNIntegrityAlgorithm, of bytes: Span<UInt8>) -> InlineArray<32, UInt8> {
        // RFC 8489 §14.5: the length covers the attribute itself, but nothing that follows it.
        let length = UInt16(bytes.count - STUNMessage.headerByteCount + 4 + algorithm.byteCount)
        let front: InlineArray<4, UInt8> = [
            bytes[0], bytes[1], UInt8(length >> 8), UInt8(truncatingIfNeeded: length),
        ]
        let context = algorithm == .sha1 ? sha1 : sha256
        return context.code(of: front.span, bytes.extracting(droppingFirst: 4))
    }
}

/// The two kinds of integrity (RFC 8489 §14.5, §14.6).
public enum STUNIntegrityAlgorithm: Hashable, Sendable {
    /// MESSAGE-INTEGRITY: HMAC-SHA1. All implementations of ICE know it.
    case sha1
    /// MESSAGE-INTEGRITY-SHA256: HMAC-SHA256. It is only used to answer who used it.
    case sha256

    /// The size of the code in bytes.
    var byteCount: Int { self == .sha1 ? 20 : 32 }
    var attributeType: STUNAttributeType { self == .sha1 ? .messageIntegrity : .messageIntegritySHA256 }
}

/// An HMAC of OpenSSL with its key.
@safe
private final class HMACContext {
    private let context: OpaquePointer

    init(_ digest: StaticString, key: [UInt8]) {
        guard let algorithm = unsafe EVP_MAC_fetch(nil, "HMAC", nil),
            let context = unsafe EVP_MAC_CTX_new(algorithm)
        else { preconditionFailure("OpenSSL has no HMAC") }
        // The context holds a reference of its own.
        unsafe EVP_MAC_free(algorithm)
        unsafe self.context = context
        let isReady = unsafe digest.description.withCString { name in
            // The library copies the name and the key during this call, and modifies neither.
            let parameters = unsafe [
                OSSL_PARAM_construct_utf8_string("digest", UnsafeMutablePointer(mutating: name), 0),
                OSSL_PARAM_construct_end(),
            ]
            return unsafe EVP_MAC_init(context, key, key.count, parameters) == 1
        }
        precondition(isReady, "OpenSSL has no \(digest)")
    }

    deinit {
        // Overwrites what was computed from the key.
        unsafe EVP_MAC_CTX_free(context)
    }

    /// The code of the two parts, one after the other; SHA-1's in the first 20 bytes.
    func code(of front: Span<UInt8>, _ rest: Span<UInt8>) -> InlineArray<32, UInt8> {
        var code = InlineArray<32, UInt8>(repeating: 0)
        var span = code.mutableSpan
        let isDone = unsafe front.withUnsafeBufferPointer { front in
            unsafe rest.withUnsafeBufferPointer { rest in
                unsafe span.withUnsafeMutableBufferPointer { output in
                    var count = 0
                    // Without a key, the initialization starts over with the one that the context has. The library
                    // reads the parts during these calls, and writes at most 32 bytes.
                    return unsafe EVP_MAC_init(context, nil, 0, nil) == 1
                        && EVP_MAC_update(context, front.baseAddress, front.count) == 1
                        && EVP_MAC_update(context, rest.baseAddress, rest.count) == 1
                        && EVP_MAC_final(context, output.baseAddress, &count, output.count) == 1
                }
            }
        }
        precondition(isDone, "OpenSSL failed to compute an HMAC")
        return code
    }
}
