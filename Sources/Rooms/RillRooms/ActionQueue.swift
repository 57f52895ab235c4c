/// Actions in order. Taking one costs the same however many there are.
struct ActionQueue<Action> {
    private var actions: [Action] = []
    private var takenCount = 0

    var count: Int { actions.count - takenCount }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ action: Action) { actions.append(action) }

    mutating func next() -> Action? {
        guard takenCount < actions.count else {
            // A burst's memory is not kept.
            actions.removeAll(keepingCapacity: actions.capacity < 1024)
            takenCount = 0
            return nil
        }
        takenCount += 1
        return actions[takenCount - 1]
    }
}
