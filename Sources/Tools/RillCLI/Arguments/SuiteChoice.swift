import ArgumentParser
import Rill
import RillSecurity

/// The SRTP suites of keys, by their names on the command line.
enum SuiteChoice: String, ExpressibleByArgument, CaseIterable {
    case gcm256 = "gcm-256"
    case gcm128 = "gcm-128"
    case cm80 = "cm-80"

    var profile: SRTPProfile {
        switch self {
        case .gcm256: .aeadAES256GCM
        case .gcm128: .aeadAES128GCM
        case .cm80: .aesCM128Tag80
        }
    }
}
