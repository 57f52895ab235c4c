import CFuzzer
import Glibc
import RillFuzzBodies

/// Runs one body of `RillFuzzBodies` under libFuzzer; Scripts/fuzz calls it.
///
///     RILL_FUZZ=rtp fuzz -max_total_time=10 CORPUS
///
/// The name stands in the environment, where the processes inherit it that libFuzzer starts by itself (`-jobs`,
/// `-fork`).
@main
struct Fuzz {
    static func main() {
        let name = unsafe getenv("RILL_FUZZ").map { unsafe String(cString: $0) } ?? ""
        guard let found = FuzzBody.all.first(where: { $0.name == name }) else {
            print("RILL_FUZZ is to name one of: \(FuzzBody.all.map(\.name).joined(separator: " "))")
            exit(2)
        }
        unsafe body = found
        var argc = CommandLine.argc
        var argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
        // libFuzzer keeps neither pointer beyond the call, and hands bytes that live as long as the callback.
        exit(
            unsafe LLVMFuzzerRunDriver(&argc, &argv) { data, count in
                let bytes = unsafe UnsafeBufferPointer(start: data, count: count)
                unsafe body.run(unsafe Span(_unsafeElements: bytes))
                return 0
            })
    }
}

/// Which body: written once before libFuzzer's one thread begins to read it; a C callback captures nothing.
nonisolated(unsafe) private var body = FuzzBody.all[0]
