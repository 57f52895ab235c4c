extension [Double] {
    /// The value below which `percent` of all lie; zero without any.
    func percentile(_ percent: Int) -> Double { isEmpty ? 0 : sorted()[Swift.min(count - 1, count * percent / 100)] }
    var median: Double { percentile(50) }
}
