import RillCore
import Testing

@Suite struct RotationTests {
    @Test(arguments: Rotation.allCases, Rotation.allCases)
    func `Turns add up and undo each other`(a: Rotation, b: Rotation) {
        #expect((a + b).degrees == (a.degrees + b.degrees) % 360)
        #expect((a - b).degrees == (a.degrees - b.degrees + 360) % 360)
        #expect(a + b - b == a)
    }

    @Test func `A quarter exchanges the sides`() {
        let sides = Rotation.allCases.map { $0.applied(to: .vga).description }
        #expect(sides == ["640x480", "480x640", "640x480", "480x640"])
        #expect(Rotation.allCases.map(\.exchangesSides) == [false, true, false, true])
    }
}
