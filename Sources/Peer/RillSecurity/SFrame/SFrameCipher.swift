import COpenSSL
import RillCore

/// The encryption of one KID's frames, in one direction (RFC 9605 §4.4), by one context of OpenSSL's. It keeps nothing
/// of a frame: the caller must not seal two with one counter.
///
/// One owner, on any thread, one call at a time. It allocates nothing for a frame.
@safe
package final class SFrameCipher: @unchecked Sendable {
    // Manually Sendable: the owner calls it from one thread at a time.
    private let context: OpaquePointer
    private let suite: SFrameSuite
    private let salt: InlineArray<12, UInt8>
    private let isSealing: Bool
    /// Authenticates in counter mode.
    private let tags: FrameTags?

    /// Derives the keys, and is ready for one direction, for which alone the base key may be used (§4.4.1).
    ///
    /// - Returns: `nil` if OpenSSL fails.
    package convenience init?(_ key: SFrameKey, _ id: SFrameKeyID, _ suite: SFrameSuite, isSealing: Bool) {
        guard let keys = SFrameCipher.keys(key, id, suite) else { return nil }
        self.init(keys, suite, isSealing: isSealing)
    }

    /// A cipher with keys that were derived before.
    init?(_ keys: (key: SecretBytes, salt: SecretBytes), _ suite: SFrameSuite, isSealing: Bool) {
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        unsafe self.context = context
        (self.suite, self.isSealing) = (suite, isSealing)
        salt = keys.salt.withBytes { bytes in InlineArray { bytes[$0] } }
        tags = suite.isGCM ? nil : FrameTags(keys.key, suite)
        let isReady = keys.key.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                // The key is copied, and is at least as long as the cipher's. Counter mode only encrypts.
                unsafe EVP_CipherInit_ex(
                    context, suite.cipher, nil, bytes.baseAddress, nil, isSealing || !suite.isGCM ? 1 : 0)
            }
        }
        guard isReady == 1, suite.isGCM || tags != nil else { return nil }
    }

    deinit {
        // Overwrites the key.
        unsafe EVP_CIPHER_CTX_free(context)
    }

    /// The key and the salt of a KID (§4.4.2).
    static func keys(
        _ key: SFrameKey, _ id: SFrameKeyID, _ suite: SFrameSuite
    ) -> (key: SecretBytes, salt: SecretBytes)? {
        func info(_ label: String) -> [UInt8] {
            var info = Array("SFrame 1.0 Secret \(label) ".utf8)
            info.append(bigEndian: id.rawValue)
            return info + [UInt8(suite.rawValue >> 8), UInt8(suite.rawValue & 0xFF)]
        }
        guard let secret = suite.hash.extract(key.bytes),
            let cipherKey = suite.hash.expand(secret, info("key"), byteCount: suite.keyByteCount),
            let salt = suite.hash.expand(secret, info("salt"), byteCount: SFrameSuite.nonceByteCount)
        else { return nil }
        return (cipherKey, salt)
    }

    private func nonce(_ counter: UInt64) -> InlineArray<16, UInt8> {
        // With the four zeros that counter mode begins with; GCM reads the first twelve.
        var nonce = InlineArray<16, UInt8>(repeating: 0)
        for place in 0..<12 { nonce[place] = salt[place] }
        for place in 0..<8 { nonce[4 + place] ^= UInt8(truncatingIfNeeded: counter >> UInt64(56 - 8 * place)) }
        return nonce
    }

    /// Appends the ciphertext of `plaintext` and its tag (§4.4.3), for which there must be room.
    ///
    /// - Parameters:
    ///   - plaintext: what is encrypted.
    ///   - header: the header as it is on the wire; it is authenticated.
    ///   - metadata: authenticated behind the header.
    ///   - counter: the header's counter.
    ///   - output: gets the bytes; nothing on failure.
    /// - Returns: whether OpenSSL did it.
    @_lifetime(output: copy output)
    package func seal(
        _ plaintext: Span<UInt8>, header: Span<UInt8>, metadata: Span<UInt8>, counter: UInt64,
        into output: inout OutputSpan<UInt8>
    ) -> Bool {
        precondition(isSealing, "a cipher that opens")
        let (count, tagCount) = (plaintext.count, suite.tagByteCount)
        precondition(output.freeCapacity >= count + tagCount, "room for \(output.freeCapacity) of \(count + tagCount)")
        let nonce = nonce(counter)
        var isDone = begin(nonce, header, metadata)
        unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
            // Room for all was checked above.
            let base = unsafe buffer.baseAddress! + initialized
            isDone = unsafe isDone && run(plaintext, to: base)
            if let tags {
                let text = unsafe Span(_unsafeStart: UnsafePointer(base), count: count)
                isDone = unsafe isDone && tags.authenticate(nonce, header, metadata, text, to: base + count)
            } else {
                isDone =
                    unsafe isDone
                    && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, Int32(tagCount), base + count) == 1
            }
            if isDone { initialized += count + tagCount }
        }
        return isDone
    }

    /// Appends the plaintext of a ciphertext with its tag (§4.4.4), for which there must be room. Nothing is appended
    /// unless it is authentic.
    ///
    /// - Returns: whether it is.
    @_lifetime(output: copy output)
    package func open(
        _ sealed: Span<UInt8>, header: Span<UInt8>, metadata: Span<UInt8>, counter: UInt64,
        into output: inout OutputSpan<UInt8>
    ) -> Bool {
        precondition(!isSealing, "a cipher that seals")
        guard sealed.count >= suite.tagByteCount else { return false }
        let text = sealed.extracting(droppingLast: suite.tagByteCount)
        let tag = sealed.extracting(last: suite.tagByteCount)
        precondition(output.freeCapacity >= text.count, "room for \(output.freeCapacity) of \(text.count)")
        let nonce = nonce(counter)
        var isAuthentic = begin(nonce, header, metadata)
        if let tags {
            isAuthentic = isAuthentic && tags.isAuthentic(nonce, header, metadata, text, tag)
        } else {
            unsafe tag.withUnsafeBufferPointer { tag in
                // OpenSSL copies the tag; its pointer lacks the const.
                let base = unsafe UnsafeMutablePointer(mutating: tag.baseAddress)
                isAuthentic =
                    unsafe isAuthentic
                    && EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, Int32(tag.count), base) == 1
            }
        }
        guard isAuthentic else { return false }
        unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
            // Room for all was checked above. What GCM writes before it has seen the tag counts only after that.
            isAuthentic = unsafe run(text, to: buffer.baseAddress! + initialized)
            if isAuthentic { initialized += text.count }
        }
        return isAuthentic
    }

    /// Sets the nonce; in GCM, header and metadata follow.
    private func begin(_ nonce: InlineArray<16, UInt8>, _ header: Span<UInt8>, _ metadata: Span<UInt8>) -> Bool {
        var isDone = unsafe nonce.span.withUnsafeBufferPointer { nonce in
            unsafe EVP_CipherInit_ex(context, nil, nil, nil, nonce.baseAddress, -1) == 1
        }
        guard suite.isGCM else { return isDone }
        var written: Int32 = 0
        for part in 0..<2 {
            let bytes = part == 0 ? header : metadata
            unsafe bytes.withUnsafeBufferPointer { bytes in
                // Without an output the bytes are authenticated only.
                isDone =
                    unsafe isDone
                    && EVP_CipherUpdate(context, nil, &written, bytes.baseAddress, Int32(bytes.count)) == 1
            }
        }
        return isDone
    }

    /// Encrypts or decrypts all of `text`, and ends; where it opens in GCM, says whether the tag fits.
    @unsafe private func run(_ text: Span<UInt8>, to base: UnsafeMutablePointer<UInt8>) -> Bool {
        var written: Int32 = 0
        return unsafe text.withUnsafeBufferPointer { text in
            // An empty text has no address, and OpenSSL takes a call without one for the end.
            unsafe (text.isEmpty
                || EVP_CipherUpdate(context, base, &written, text.baseAddress, Int32(text.count)) == 1)
                && EVP_CipherFinal_ex(context, base + text.count, &written) == 1
        }
    }
}

extension SFrameSuite {
    fileprivate var cipher: OpaquePointer? {
        switch self {
        case .aes128GCM: unsafe EVP_aes_128_gcm()
        case .aes256GCM: unsafe EVP_aes_256_gcm()
        case .aes128CTRTag80, .aes128CTRTag64, .aes128CTRTag32: unsafe EVP_aes_128_ctr()
        }
    }
}

/// The tags of counter mode: HMAC-SHA256, cut (RFC 9605 §4.5.1).
@safe
private final class FrameTags {
    private let context: OpaquePointer
    private let byteCount: Int

    /// - Parameter key: the cipher's key, and HMAC's behind it.
    init?(_ key: SecretBytes, _ suite: SFrameSuite) {
        byteCount = suite.tagByteCount
        guard let mac = unsafe EVP_MAC_fetch(nil, "HMAC", nil) else { return nil }
        // The context holds the algorithm.
        defer { unsafe EVP_MAC_free(mac) }
        guard let context = unsafe EVP_MAC_CTX_new(mac) else { return nil }
        unsafe self.context = context
        var name: [CChar] = Array("SHA256".utf8CString)
        let isReady = unsafe name.withUnsafeMutableBufferPointer { name in
            // Both are read during the call only, and the key's bytes are copied.
            unsafe "digest".withCString { digest in
                let parameters = unsafe [
                    OSSL_PARAM_construct_utf8_string(digest, name.baseAddress, 0), OSSL_PARAM_construct_end(),
                ]
                return key.withBytes { bytes in
                    unsafe bytes.extracting(droppingFirst: suite.cipherKeyByteCount).withUnsafeBufferPointer { bytes in
                        unsafe EVP_MAC_init(context, bytes.baseAddress, bytes.count, parameters)
                    }
                }
            }
        }
        guard isReady == 1 else { return nil }
    }

    deinit { unsafe EVP_MAC_CTX_free(context) }

    /// Writes the tag of a ciphertext to `base`.
    @unsafe func authenticate(
        _ nonce: InlineArray<16, UInt8>, _ header: Span<UInt8>, _ metadata: Span<UInt8>, _ text: Span<UInt8>,
        to base: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        guard let tag = tag(nonce, header, metadata, text) else { return false }
        // There is room for a tag.
        for place in 0..<byteCount { unsafe base[place] = tag[place] }
        return true
    }

    /// Whether a tag is that of a ciphertext, in constant time.
    func isAuthentic(
        _ nonce: InlineArray<16, UInt8>, _ header: Span<UInt8>, _ metadata: Span<UInt8>, _ text: Span<UInt8>,
        _ given: Span<UInt8>
    ) -> Bool {
        guard let tag = tag(nonce, header, metadata, text) else { return false }
        var difference: UInt8 = 0
        for place in 0..<byteCount { difference |= tag[place] ^ given[place] }
        return difference == 0
    }

    private func tag(
        _ nonce: InlineArray<16, UInt8>, _ header: Span<UInt8>, _ metadata: Span<UInt8>, _ text: Span<UInt8>
    ) -> InlineArray<32, UInt8>? {
        // The lengths, and the nonce behind them.
        var front = InlineArray<36, UInt8>(repeating: 0)
        for (place, value) in [header.count + metadata.count, text.count, byteCount].enumerated() {
            for byte in 0..<8 { front[8 * place + byte] = UInt8(truncatingIfNeeded: value >> (56 - 8 * byte)) }
        }
        for place in 0..<12 { front[24 + place] = nonce[place] }
        // The key stays.
        guard unsafe EVP_MAC_init(context, nil, 0, nil) == 1 else { return nil }
        guard update(front.span), update(header), update(metadata), update(text) else { return nil }
        var tag = InlineArray<32, UInt8>(repeating: 0)
        var written = 0
        var span = tag.mutableSpan
        let isDone = unsafe span.withUnsafeMutableBufferPointer { tag in
            // A hash of SHA-256 is 32 bytes.
            unsafe EVP_MAC_final(context, tag.baseAddress, &written, 32) == 1
        }
        return isDone ? tag : nil
    }

    private func update(_ bytes: Span<UInt8>) -> Bool {
        unsafe bytes.withUnsafeBufferPointer { bytes in
            unsafe bytes.isEmpty || EVP_MAC_update(context, bytes.baseAddress, bytes.count) == 1
        }
    }
}
