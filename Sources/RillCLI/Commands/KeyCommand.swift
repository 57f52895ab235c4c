import ArgumentParser
import Glibc
import Rill
import RillSecurity

/// `rill key`: a key for a call.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Make a key for one call.",
        usage: "rill key [<file>] [--bits 128]",
        discussion: """
            Writes base64 of 44 random bytes: a key of AES-256-GCM and its salt, for `rill call --key-file`. With --bits 128 \
            it is 28 bytes, for AES-128-GCM. Whoever has the key can watch the call and speak in it: bring it to the \
            other side by a way that nobody else reads, and make a new one for each call.

            A file is readable by its owner alone, and is never overwritten.

            Examples:
              rill key call.key
              rill key | ssh other-machine 'umask 077; cat > call.key'
            """)

    @Argument(help: "The file to write (default: standard output).")
    var file: String?

    @Option(help: "128 or 256.")
    var bits = 256

    func run() throws {
        let key = SRTPKey.generate(bits == 128 ? .aeadAES128GCM : .aeadAES256GCM)
        guard let file else { return try StandardOutput.print(key.base64) }
        let descriptor = unsafe open(file, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            let reason = unsafe String(cString: strerror(errno))
            throw CommandError("\(file): \(errno == EEXIST ? "is there already: a key is never overwritten" : reason)")
        }
        defer { close(descriptor) }
        let bytes = Array((key.base64 + "\n").utf8)
        guard unsafe write(descriptor, bytes, bytes.count) == bytes.count else {
            _ = unsafe unlink(file)
            throw CommandError("\(file): cannot be written: \(unsafe String(cString: strerror(errno)))")
        }
    }

    func validate() throws {
        guard bits == 128 || bits == 256 else { throw ValidationError("--bits is 128 or 256, not \(bits)") }
    }
}
