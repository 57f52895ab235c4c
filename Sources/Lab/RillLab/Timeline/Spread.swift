/// Minimum, maximum and mean of values, in two words of memory.
public struct Spread: Sendable, Equatable {
    /// The number of values.
    public private(set) var count: Int32 = 0
    /// The minimum; 0 without values.
    public private(set) var minimum: Float = 0
    /// The maximum; 0 without values.
    public private(set) var maximum: Float = 0
    private var sum: Float = 0

    /// The mean; `nil` without values.
    public var mean: Double? { count == 0 ? nil : Double(sum) / Double(count) }

    mutating func add(_ value: Double) {
        merge(Spread(Float(value)))
    }

    mutating func merge(_ other: Spread) {
        guard other.count > 0 else { return }
        minimum = count == 0 ? other.minimum : min(minimum, other.minimum)
        maximum = count == 0 ? other.maximum : max(maximum, other.maximum)
        sum += other.sum
        count += other.count
    }

    init() {}

    private init(_ value: Float) {
        (count, minimum, maximum, sum) = (1, value, value, value)
    }
}
