/// Least, greatest and mean of values, in the room of two words.
public struct Spread: Sendable, Equatable {
    /// Values added.
    public private(set) var count: Int32 = 0
    /// The least of them; 0 where there is none.
    public private(set) var least: Float = 0
    /// The greatest; 0 where there is none.
    public private(set) var greatest: Float = 0
    private var sum: Float = 0

    /// Their mean; `nil` where there is none.
    public var mean: Double? { count == 0 ? nil : Double(sum) / Double(count) }

    mutating func add(_ value: Double) {
        merge(Spread(Float(value)))
    }

    mutating func merge(_ other: Spread) {
        guard other.count > 0 else { return }
        least = count == 0 ? other.least : min(least, other.least)
        greatest = count == 0 ? other.greatest : max(greatest, other.greatest)
        sum += other.sum
        count += other.count
    }

    init() {}

    private init(_ value: Float) {
        (count, least, greatest, sum) = (1, value, value, value)
    }
}
