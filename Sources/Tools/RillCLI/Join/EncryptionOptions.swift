#if Server
import ArgumentParser
import Foundation
import Rill
import RillSecurity

/// Options of end-to-end encryption.
struct EncryptionOptions: ParsableArguments {
    @Option(help: "Encrypt frames from end to end: aes128 or aes256, the same for all members.")
    var encryption: Suite?

    @Option(
        help: ArgumentHelp(
            "A file with the secret that all members have (default: the variable \(EncryptionOptions.variable)).",
            discussion: "A secret that somebody made up can be guessed by a server that records a frame; four words "
                + "drawn by dice cannot."),
        completion: .file())
    var encryptionSecretFile: String?

    enum Suite: String, ExpressibleByArgument, CaseIterable {
        case aes128
        case aes256
    }

    /// Other users of the machine see a command's words, and not its environment.
    private static let variable = "RILL_ENCRYPTION_SECRET"

    /// The members' keys for the frames of a room, and the suite; `nil` without encryption. It takes a quarter of a
    /// second.
    ///
    /// - Throws: ``CommandError`` for a secret that cannot be read.
    func keys(of room: String) throws -> (keys: any SFrameKeys, suite: SFrameSuite)? {
        guard let encryption else { return nil }
        // In the form that pages use: an umlaut is one character or two.
        let secret = try readSecret().precomposedStringWithCanonicalMapping
        return (try SFrameSecret(secret, room: room), encryption == .aes256 ? .aes256GCM : .aes128GCM)
    }

    private func readSecret() throws -> String {
        guard let path = encryptionSecretFile else {
            guard let secret = ProcessInfo.processInfo.environment[Self.variable], !secret.isEmpty else {
                throw CommandError(
                    "--encryption needs a secret: --encryption-secret-file, or the variable \(Self.variable)",
                    .unreadableInput)
            }
            return secret
        }
        // All three reasons are in the text.
        guard let data = try? FileHandle(forReadingAtPath: path)?.read(upToCount: 4097) else {
            throw CommandError("\(path): no such file, or it cannot be read or is empty", .unreadableInput)
        }
        guard data.count <= 4096 else {
            throw CommandError("\(path): more than 4096 bytes; a secret is one line", .unreadableInput)
        }
        // The line's end is not of the secret.
        let secret = String(decoding: data, as: UTF8.self).trimmingCharacters(in: .newlines)
        guard !secret.isEmpty else { throw CommandError("\(path): no secret", .unreadableInput) }
        return secret
    }

    func validate() throws {
        guard encryption != nil || encryptionSecretFile == nil else {
            throw ValidationError("--encryption-secret-file needs --encryption aes128 or aes256")
        }
    }
}
#endif
