import RillCore
import RillThreads
import Testing

@testable import Rill

@Suite struct ThreadPlacementTests {
    @Test func `Placement keeps the largest encoder apart`() {
        #expect(ThreadPlacement.system.affinity(isLargestEncoder: true) == .any)
        #expect(ThreadPlacement.system.affinity(isLargestEncoder: false) == .any)
        #expect(ThreadPlacement.encoderApart.affinity(isLargestEncoder: true) == .last)
        #expect(ThreadPlacement.encoderApart.affinity(isLargestEncoder: false) == .allButLast)
    }
}
