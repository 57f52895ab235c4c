import RillCore

/// What is to happen, in order of time; what is for the same time happens in the order in which it was added.
struct Timeline {
    private var entries: [(time: MediaTime, action: () -> Void)] = []

    /// Adds an action.
    mutating func add(at time: MediaTime, _ action: @escaping () -> Void) {
        var (low, high) = (0, entries.count)
        while low < high {
            let middle = (low + high) / 2
            // The next action is the last entry, which costs nothing to remove.
            if entries[middle].time > time { low = middle + 1 } else { high = middle }
        }
        entries.insert((time, action), at: low)
    }

    var nextTime: MediaTime { entries.last?.time ?? .distantFuture }

    mutating func next() -> () -> Void { entries.removeLast().action }
}
