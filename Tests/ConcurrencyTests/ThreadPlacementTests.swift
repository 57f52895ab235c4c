import RillCore
import RillThreads
import Testing

@testable import Rill

@Suite struct ThreadPlacementTests {
    @Test func `Placement keeps the largest encoder apart`() {
        #expect(ThreadPlacement.system.part(isLargestEncoder: true) == .any)
        #expect(ThreadPlacement.system.part(isLargestEncoder: false) == .any)
        #expect(ThreadPlacement.encoderApart.part(isLargestEncoder: true) == .last)
        #expect(ThreadPlacement.encoderApart.part(isLargestEncoder: false) == .allButLast)
    }
}
