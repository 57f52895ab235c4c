public import RillBeauty

/// How a beauty filter finds faces.
///
/// ```swift
/// settings.faces = .cascade(try FaceCascade(openCVFile: "/opt/faces.xml"))
/// ```
public enum FaceDetection: Equatable, Sendable {
    /// With the cascade at `FaceCascade.installedFile`; without that file, not at all.
    case automatic
    /// Not at all: skin is what has a color of skin.
    case off
    /// With this cascade.
    case cascade(FaceCascade)

    /// The cascade; `nil` if faces are not searched for.
    ///
    /// The installed cascade is read once in the life of the process, by the first thread that asks for it.
    ///
    /// - Throws: ``FaceCascadeError`` if the installed cascade cannot be read.
    public var cascade: FaceCascade? {
        get throws(FaceCascadeError) {
            switch self {
            case .automatic: try Self.installed.get()
            case .off: nil
            case .cascade(let cascade): cascade
            }
        }
    }

    /// The same as a value, for owners that go on without faces and report the reason.
    package var outcome: Result<FaceCascade?, FaceCascadeError> {
        Result { () throws(FaceCascadeError) in try cascade }
    }

    private static let installed = Result { () throws(FaceCascadeError) in
        try FaceCascade(openCVFile: FaceCascade.installedFile)
    }
}

extension Result where Success == FaceCascade?, Failure == FaceCascadeError {
    /// The cascade, if there is one.
    package var cascade: FaceCascade? {
        guard case .success(let cascade) = self else { return nil }
        return cascade
    }

    /// Why there is none, if it was to be read.
    package var failure: FaceCascadeError? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
