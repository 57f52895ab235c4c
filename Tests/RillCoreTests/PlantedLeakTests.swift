import Glibc
import Testing

/// Not a test of Rill but of the address sanitizer: it must fail on leaked memory, otherwise its passing runs prove
/// nothing. `.ci/planted-faults` plants it and asks for the report.
@Suite struct PlantedLeakTests {
    @Test(.enabled(if: unsafe getenv("RILL_PLANT_LEAK") != nil, "RILL_PLANT_LEAK is not set"))
    func `The leak is reported by the address sanitizer`() {
        // More than one, as a stray register may still hold the last.
        for _ in 0..<100 {
            let memory = UnsafeMutableRawPointer.allocate(byteCount: 1000, alignment: 16)
            unsafe memory.storeBytes(of: 1, as: UInt8.self)
        }
    }
}
