import CFuzzer
import Glibc
import RillFuzzTargets

/// Runs one target of `RillFuzzTargets` under libFuzzer; Scripts/fuzz calls it.
///
///     RILL_FUZZ=rtp fuzz -max_total_time=10 CORPUS
///
/// The name stands in the environment, where the processes inherit it that libFuzzer starts by itself (`-jobs`,
/// `-fork`).
@main
struct Fuzz {
    static func main() {
        let name = unsafe getenv("RILL_FUZZ").map { unsafe String(cString: $0) } ?? ""
        guard let found = FuzzTarget.all.first(where: { $0.name == name }) else {
            print("RILL_FUZZ is to name one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
            exit(2)
        }
        unsafe target = found
        var argc = CommandLine.argc
        var argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
        // libFuzzer keeps neither pointer beyond the call, and hands bytes that live as long as the callback.
        exit(
            unsafe LLVMFuzzerRunDriver(&argc, &argv) { data, count in
                let bytes = unsafe UnsafeBufferPointer(start: data, count: count)
                unsafe target.run(unsafe Span(_unsafeElements: bytes))
                return 0
            })
    }
}

/// Which target: written once before libFuzzer's one thread begins to read it; a C callback captures nothing.
nonisolated(unsafe) private var target = FuzzTarget.all[0]
