import COpenSSL
import RillRTP

/// Protects packets of RTP with AES-GCM, as RFC 7714 §8 has it, by one context of OpenSSL's for a key.
///
/// libsrtp does the same with five allocations and 10,000 instructions a packet where it is built on NSS, which makes a
/// context for each packet; this takes a third of that for 1100 bytes, and allocates nothing.
///
/// It keeps nothing of a packet: the caller must not use an index twice. One owner, on any thread, one call at a time.
@safe
final class GCMSealer: @unchecked Sendable {
    // Manually Sendable: the owner calls it from one thread at a time.
    private let context: OpaquePointer
    /// The session salt, with which each initialization vector is masked (RFC 7714 §8.1).
    private let salt: InlineArray<12, UInt8>

    static let tagByteCount = 16

    /// - Returns: `nil` if OpenSSL fails, or the key is not for GCM.
    init?(_ key: SRTPKey) {
        guard key.profile.isAEAD, let made = SessionKeys(key), let context = unsafe EVP_CIPHER_CTX_new() else {
            return nil
        }
        unsafe self.context = context
        salt = made.salt
        let isReady = made.cipherKey.withBytes { bytes in
            unsafe bytes.withUnsafeBufferPointer { bytes in
                // The key is copied, and is as long as the cipher's.
                unsafe EVP_EncryptInit_ex(context, key.profile.gcm, nil, bytes.baseAddress, nil)
            }
        }
        guard isReady == 1 else { return nil }
    }

    deinit {
        // Overwrites the key.
        unsafe EVP_CIPHER_CTX_free(context)
    }

    /// Protects a packet of `count` bytes in place, and appends the tag, for which there must be room.
    ///
    /// - Parameters:
    ///   - base: the packet, whose header has `headerByteCount` bytes, at most `count`.
    ///   - source: its SSRC.
    ///   - index: its index, less than 2^48.
    /// - Returns: whether OpenSSL did it.
    @unsafe func seal(
        _ base: UnsafeMutablePointer<UInt8>, headerByteCount: Int, count: inout Int, of source: SSRC, _ index: Int64
    ) -> Bool {
        var vector = salt
        for byte in 0..<4 { vector[2 + byte] ^= UInt8(truncatingIfNeeded: source.rawValue >> UInt32(24 - 8 * byte)) }
        for byte in 0..<6 { vector[6 + byte] ^= UInt8(truncatingIfNeeded: index >> Int64(40 - 8 * byte)) }
        var written: Int32 = 0
        let (header, payload) = (Int32(headerByteCount), Int32(count - headerByteCount))
        // All lengths are within the packet, and the tag has room after it.
        unsafe vector.span.withUnsafeBufferPointer { vector in
            _ = unsafe EVP_EncryptInit_ex(context, nil, nil, nil, vector.baseAddress)
        }
        let isDone =
            unsafe EVP_EncryptUpdate(context, nil, &written, base, header) == 1
            && EVP_EncryptUpdate(context, base + headerByteCount, &written, base + headerByteCount, payload) == 1
            && EVP_EncryptFinal_ex(context, base + count, &written) == 1
            && EVP_CIPHER_CTX_ctrl(
                context, EVP_CTRL_AEAD_GET_TAG, Int32(GCMSealer.tagByteCount), base + count) == 1
        if isDone { count += GCMSealer.tagByteCount }
        return isDone
    }
}

/// The keys of a session for RTP, which follow from the master key and salt (RFC 3711 §4.3, RFC 7714 §11).
private struct SessionKeys {
    let cipherKey: SecretBytes
    let salt: InlineArray<12, UInt8>

    init?(_ key: SRTPKey) {
        let count = key.profile.keyByteCount
        let derived = key.withKeyAndSalt { master -> (SecretBytes, [UInt8])? in
            guard let cipherKey = SessionKeys.derive(0, count, key.profile, master),
                let salt = SessionKeys.derive(2, 12, key.profile, master)
            else { return nil }
            return (cipherKey, salt.withBytes { $0.array })
        }
        guard let derived else { return nil }
        cipherKey = derived.0
        salt = InlineArray { derived.1[$0] }
    }

    /// The first bytes of the key stream of AES in counter mode, from the master salt and a label. A salt of 12 bytes
    /// is that of 14 bytes with zeros behind.
    private static func derive(
        _ label: UInt8, _ byteCount: Int, _ profile: SRTPProfile, _ master: Span<UInt8>
    ) -> SecretBytes? {
        var counter = [UInt8](repeating: 0, count: 16)
        for index in 0..<profile.saltByteCount { counter[index] = master[profile.keyByteCount + index] }
        counter[7] ^= label
        guard let context = unsafe EVP_CIPHER_CTX_new() else { return nil }
        defer { unsafe EVP_CIPHER_CTX_free(context) }
        var isDone = unsafe master.withUnsafeBufferPointer { master in
            // The cipher reads its key from the beginning of the master key and salt, and 16 bytes of the counter.
            unsafe EVP_EncryptInit_ex(context, profile.counterMode, nil, master.baseAddress, counter) == 1
        }
        let zeros = [UInt8](repeating: 0, count: byteCount)
        let stream = SecretBytes(count: byteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { buffer, initialized in
                var written: Int32 = 0
                // As many bytes are written as read: those of the buffer.
                isDone =
                    unsafe isDone
                    && EVP_EncryptUpdate(context, buffer.baseAddress, &written, zeros, Int32(byteCount)) == 1
                initialized = byteCount
            }
        }
        return isDone ? stream : nil
    }
}

extension SRTPProfile {
    fileprivate var gcm: OpaquePointer? { unsafe self == .aeadAES256GCM ? EVP_aes_256_gcm() : EVP_aes_128_gcm() }
    fileprivate var counterMode: OpaquePointer? {
        unsafe self == .aeadAES256GCM ? EVP_aes_256_ctr() : EVP_aes_128_ctr()
    }
}
