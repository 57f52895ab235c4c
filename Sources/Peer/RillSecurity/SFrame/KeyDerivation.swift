import COpenSSL

/// HMAC (RFC 2104) and what is derived with it: HKDF (RFC 5869) and PBKDF2 (RFC 8018 §5.2), by OpenSSL.
enum KeyedHash {
    case sha256, sha512

    /// The bytes of a hash.
    var byteCount: Int { self == .sha256 ? 32 : 64 }

    private var name: String { self == .sha256 ? "SHA256" : "SHA512" }

    /// HKDF-Extract with an empty salt (RFC 5869 §2.2); `nil` if OpenSSL fails.
    func extract(_ material: SecretBytes) -> SecretBytes? {
        // HMAC fills a shorter key up with zeros: these are the empty salt.
        let salt = SecretBytes(count: byteCount) { output in while output.freeCapacity > 0 { output.append(0) } }
        return hmac(material, key: salt)
    }

    /// HKDF-Expand (RFC 5869 §2.3); `nil` if OpenSSL fails.
    func expand(_ secret: SecretBytes, _ info: [UInt8], byteCount: Int) -> SecretBytes? {
        precondition(byteCount <= 255 * self.byteCount, "\(byteCount) bytes of HKDF")
        var blocks: [SecretBytes] = []
        while blocks.count * self.byteCount < byteCount {
            let last = blocks.last
            let input = SecretBytes(count: (last?.count ?? 0) + info.count + 1) { output in
                last?.withBytes { output.append(copying: $0) }
                output.append(copying: info.span)
                output.append(UInt8(blocks.count + 1))
            }
            guard let block = hmac(input, key: secret) else { return nil }
            blocks.append(block)
        }
        return SecretBytes(count: byteCount) { output in
            for block in blocks {
                block.withBytes { output.append(copying: $0.extracting(first: min($0.count, output.freeCapacity))) }
            }
        }
    }

    private func hmac(_ input: SecretBytes, key: SecretBytes) -> SecretBytes? {
        var isDone = false
        let hash = SecretBytes(count: byteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { output, initialized in
                input.withBytes { input in
                    key.withBytes { key in
                        unsafe input.withUnsafeBufferPointer { input in
                            unsafe key.withUnsafeBufferPointer { key in
                                // The output has room for a hash, and all lengths are the buffers'.
                                isDone =
                                    unsafe EVP_Q_mac(
                                        nil, "HMAC", nil, name, nil, key.baseAddress, key.count, input.baseAddress,
                                        input.count, output.baseAddress, output.count, nil) != nil
                            }
                        }
                    }
                }
                initialized = output.count
            }
        }
        return isDone ? hash : nil
    }

    /// PBKDF2 with HMAC-SHA256; `nil` if OpenSSL fails.
    static func stretch(_ password: Span<UInt8>, salt: [UInt8], rounds: Int32, byteCount: Int) -> SecretBytes? {
        var isDone = false
        let key = SecretBytes(count: byteCount) { output in
            unsafe output.withUnsafeMutableBufferPointer { output, initialized in
                unsafe password.withUnsafeBytes { password in
                    // Lengths are the buffers'.
                    isDone =
                        unsafe PKCS5_PBKDF2_HMAC(
                            password.baseAddress?.assumingMemoryBound(to: CChar.self), Int32(password.count), salt,
                            Int32(salt.count), rounds, EVP_sha256(), Int32(output.count), output.baseAddress) == 1
                }
                initialized = output.count
            }
        }
        return isDone ? key : nil
    }
}
