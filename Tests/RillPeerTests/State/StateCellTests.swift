import Testing

@testable import RillPeer

/// Where an object with one owner has its state.
@Suite struct StateCellTests {
    /// Something that says when it goes.
    private final class Witness {
        let farewell: () -> Void
        init(_ farewell: @escaping () -> Void) { self.farewell = farewell }
        deinit { farewell() }
    }

    private struct State: ~Copyable {
        var count = 0
        var witness: Witness?
        mutating func add(_ number: Int) { count += number }
        mutating func run(_ body: () -> Void) { body() }
    }

    @Test func `What is changed stays changed`() {
        let cell = StateCell(State())
        for number in 1...100 { cell.state.add(number) }
        #expect(cell.state.count == 5050)
        cell.state = State(count: 3)
        #expect(cell.state.count == 3)
    }

    @Test func `The state is released with its cell, and a replaced one at once`() {
        var gone = 0
        do {
            let cell = StateCell(State(witness: Witness { gone += 1 }))
            #expect(gone == 0)
            cell.state = State(witness: Witness { gone += 10 })
            #expect(gone == 1)
            _ = cell.state.count
        }
        #expect(gone == 11)
    }

    @Test func `After a call that threw the state can be used`() {
        struct Failure: Error {}
        let cell = StateCell(State())
        func fail(_ state: inout State) throws {
            state.count = 1
            throw Failure()
        }
        #expect(throws: Failure.self) { try fail(&cell.state) }
        cell.state.add(1)
        #expect(cell.state.count == 2)
    }

    @Test func `A call from within a call ends the program`() async {
        await #expect(processExitsWith: .failure) {
            let cell = StateCell(State())
            withoutActuallyEscaping({ cell.state.add(1) }) { call in cell.state.run(call) }
        }
        await #expect(processExitsWith: .success) {
            let cell = StateCell(State())
            cell.state.run {}
            cell.state.add(1)
        }
    }
}
