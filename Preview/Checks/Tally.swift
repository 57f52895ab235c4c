/// The counts of checks, expectations and failures.
@MainActor final class Tally {
    static let shared = Tally()
    var checks = 0
    var expectations = 0
    var failures = 0
}

@MainActor func run(_ name: String, _ body: () throws -> Void) {
    let before = Tally.shared.failures
    Tally.shared.checks += 1
    do { try body() } catch {
        Tally.shared.failures += 1
        print("\(name): \(error)")
    }
    print(Tally.shared.failures == before ? "passed" : "FAILED", name)
}

@MainActor func expect(
    _ isTrue: Bool, _ text: @autoclosure () -> String = "", file: String = #fileID, line: Int = #line
) {
    Tally.shared.expectations += 1
    guard !isTrue else { return }
    Tally.shared.failures += 1
    print("\(file):\(line): not as expected \(text())")
}
