import CFuzzer
import Glibc
import RillFuzzTargets

/// Runs one fuzz target of `RillFuzzTargets` under libFuzzer. Scripts/fuzz calls it.
///
///     RILL_FUZZ=rtp fuzz -max_total_time=10 CORPUS
///
/// The name is in the environment, so that the processes that libFuzzer starts (`-jobs`, `-fork`) inherit it.
@main
struct Fuzz {
    static func main() {
        let name = unsafe getenv("RILL_FUZZ").map { unsafe String(cString: $0) } ?? ""
        guard let found = FuzzTarget.all.first(where: { $0.name == name }) else {
            print("RILL_FUZZ must name one of: \(FuzzTarget.all.map(\.name).joined(separator: " "))")
            exit(2)
        }
        unsafe target = found
        var argc = CommandLine.argc
        var argv: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = unsafe CommandLine.unsafeArgv
        // libFuzzer keeps neither pointer after the call, and passes bytes that are valid during the callback.
        exit(
            unsafe LLVMFuzzerRunDriver(&argc, &argv) { data, count in
                let bytes = unsafe UnsafeBufferPointer(start: data, count: count)
                unsafe target.run(unsafe Span(_unsafeElements: bytes))
                return 0
            })
    }
}

/// The selected target. It is a global because a C callback captures nothing; it is written once, before libFuzzer's
/// only thread reads it.
nonisolated(unsafe) private var target = FuzzTarget.all[0]
