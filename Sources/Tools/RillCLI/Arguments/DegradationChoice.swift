import ArgumentParser
import Rill

/// The values of `--degradation`.
enum DegradationChoice: String, ExpressibleByArgument, CaseIterable {
    case balanced
    case maintainFramerate = "maintain-framerate"
    case maintainResolution = "maintain-resolution"
    case none

    var settings: AdaptationSettings? {
        guard let preference = DegradationPreference(rawValue: rawValue) else { return nil }
        var settings = AdaptationSettings()
        settings.preference = preference
        return settings
    }
}
